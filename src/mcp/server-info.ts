/** The name and version that MCP clients get. A test compares the version with package.json. */
export const SERVER_INFO = { name: 'switchboard', title: 'Switchboard', version: '0.1.0' } as const;

/** The capabilities of this server in every revision. Revisions with subscriptions add more. */
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} } as const;

/**
 * The members of the results that many tools return. `tools/list` leaves them out of its output schemas. A test
 * compares them with the complete schemas.
 */
const SHAPES = [
  'contact {id, external_id, email, phone, first_name, last_name, locale, timezone, tags, properties, consent, created_at, updated_at}',
  'message {id, contact_id, channel, direction, subject, body, has_html, topic, template_id, template_version, locale, status, status_reason, reason_code, to, provider_id, provider_message_id, idempotency_key, run_id, scheduled_at, held_until, sent_at, created_at, updated_at}',
  'workflow {id, name, active, version, trigger, steps, on_failure, webhook_url, next_times, created_at, updated_at}',
  'run {id, workflow_id, workflow_version, status, reason, trigger, contact_id, replay_of, created_at, started_at, finished_at, step_count, steps: [{id, tool, status, attempts, input, output, cut, progress, error, failed_attempts: [{attempt, failed_at, error}], started_at, finished_at}]}',
].join('; ');

/**
 * The instructions for the model of an MCP client. Clients get this text once, beside the descriptions of the tools.
 */
export const INSTRUCTIONS =
  'Switchboard sends messages to contacts and runs workflows for the organization of the API key. ' +
  'Find or create a contact first and use its contact_id with send_message; start longer sequences with trigger_workflow and follow them with get_run. ' +
  `In results: ${SHAPES}. ` +
  'A tool that fails answers with isError and a JSON text {"error": {"code", "message", "details"}}; pass an idempotency_key where a call must not happen twice.';
