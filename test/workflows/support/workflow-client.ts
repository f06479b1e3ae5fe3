import { createHmac, randomUUID } from 'node:crypto';
import type { TestOrganization } from '../../support/organization.js';
import type { RunningSwitchboard } from '../../support/switchboard.js';
import { waitFor } from '../../support/wait-for.js';

export interface WorkflowShape {
  id: string;
  name: string;
  active: boolean;
  version: number;
  trigger: { type: string; secret?: true };
  steps: object[];
  webhook_url: string | null;
}

export interface RunShape {
  id: string;
  workflow_id: string;
  workflow_version: number;
  status: string;
  reason: string | null;
  trigger: { type: string; payload?: unknown };
  contact_id: string | null;
  replay_of: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  steps: {
    id: string;
    tool: string | null;
    status: string;
    attempts: number;
    input: Record<string, unknown> | null;
    output: Record<string, unknown> | null;
    progress?: object;
    error: { code: string; message: string } | null;
    failed_attempts: {
      attempt: number;
      failed_at: string;
      error: { code: string; message: string };
    }[];
    started_at: string | null;
    finished_at: string | null;
  }[];
}

export interface WebhookAnswer {
  status: number;
  headers: Headers;
  body: {
    ok: boolean;
    runId: string;
    duplicate?: boolean;
    error: { code: string; message: string };
  };
}

export async function createWorkflow(
  organization: TestOrganization,
  steps: object[],
  more: object = {},
): Promise<WorkflowShape & { secret: string | null }> {
  const { value, error } = await organization.call<{
    workflow: WorkflowShape;
    secret: string | null;
  }>('create_workflow', { name: 'Test', trigger: { type: 'webhook' }, steps, ...more });
  if (error) throw new Error(JSON.stringify(error));
  return { ...value.workflow, secret: value.secret };
}

export async function postWebhook(
  switchboard: RunningSwitchboard,
  workflowId: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<WebhookAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(`${switchboard.url}/api/webhooks/workflow/${workflowId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: raw,
  });
  const answer = (await response.json()) as WebhookAnswer['body'];
  return { status: response.status, headers: response.headers, body: answer };
}

export function sign(body: string | Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Returns the three headers of Standard Webhooks. */
export function signStandard(
  body: string,
  secret: string,
  given: { id?: string; timestamp?: number } = {},
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id = `msg_${randomUUID()}`, timestamp = Math.floor(Date.now() / 1000) } = given;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${mac}`,
  };
}

export async function getRun(organization: TestOrganization, runId: string): Promise<RunShape> {
  const { value, error } = await organization.call<{ run: RunShape }>('get_run', { run_id: runId });
  if (error) throw new Error(JSON.stringify(error));
  return value.run;
}

export async function runUntil(
  organization: TestOrganization,
  runId: string,
  ...statuses: string[]
): Promise<RunShape> {
  return await waitFor(async () => {
    const run = await getRun(organization, runId);
    return statuses.includes(run.status) ? run : undefined;
  });
}

/** Starts the workflow with a payload and returns its run when it has ended. */
export async function runToEnd(
  organization: TestOrganization,
  workflowId: string,
  payload: object = {},
): Promise<RunShape> {
  const runId = await trigger(organization, workflowId, payload);
  return await runUntil(organization, runId, 'succeeded', 'failed', 'canceled');
}

export async function trigger(
  organization: TestOrganization,
  workflowId: string,
  payload: object = {},
): Promise<string> {
  const { value, error } = await organization.call<{ run_id: string }>('trigger_workflow', {
    workflow_id: workflowId,
    payload,
  });
  if (error) throw new Error(JSON.stringify(error));
  return value.run_id;
}

/** Returns the part of the idempotency key of an external call that names the run and the step. */
export function withoutDigest(key: string | string[] | undefined): string {
  return String(key).replace(/:[0-9a-f]{16}$/, '');
}

/** Ends all waits of a run for a time, including the pause before the next attempt of a step. */
export async function endWaits(switchboard: RunningSwitchboard, runId: string): Promise<void> {
  await switchboard.ownerQuery(
    `update run_steps set wake_at = now() where run_id = $1 and status = 'waiting'`,
    [runId],
  );
  await switchboard.ownerQuery(
    `update workflow_runs set available_at = now() where id = $1 and status = 'waiting'`,
    [runId],
  );
}
