/** There is one for the organization. */
export class GetRetentionInput {}
