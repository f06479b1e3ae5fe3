/** No arguments. */
export class ListToolPoliciesInput {}
