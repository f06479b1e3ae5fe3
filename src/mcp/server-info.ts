/** How this server presents itself to MCP clients. The version is that of package.json; a test compares them. */
export const SERVER_INFO = { name: 'switchboard', title: 'Switchboard', version: '0.1.0' } as const;

/** Given to the model behind an MCP client, once, beside the descriptions of the tools. */
export const INSTRUCTIONS =
  'Switchboard sends messages to contacts and runs workflows for one organization, the one that the API key belongs to. ' +
  'Find or create a contact first and use its contact_id with send_message; start longer sequences with trigger_workflow and follow them with get_run. ' +
  'A tool that fails answers with isError and a JSON text {"error": {"code", "message", "details"}}; pass an idempotency_key where a call must not happen twice.';
