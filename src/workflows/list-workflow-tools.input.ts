export class ListWorkflowToolsInput {}
