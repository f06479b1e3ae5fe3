import { expect } from 'vitest';
import type { TestOrganization } from '../../support/organization.js';
import { waitFor } from '../../support/wait-for.js';
import { CAPABILITIES_KEY, metaOf, postModern } from './modern.js';

/** Declares the capabilities of a client with the Tasks extension. */
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

export interface TaskShape {
  resultType: string;
  taskId: string;
  status: string;
  statusMessage?: string;
  pollIntervalMs: number;
  inputRequests?: Record<string, { method: string; params: object }>;
  result?: { content: object[]; structuredContent?: unknown; isError?: boolean };
  error?: { code: number; message: string };
}

export function taskRequest(method: string, params: object, capabilities: object = TASKS) {
  const _meta = { ...metaOf(), [CAPABILITIES_KEY]: capabilities };
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
}

/** Calls a tool and expects a task as its result. */
export async function callForTask(
  organization: TestOrganization,
  name: string,
  given: object = {},
): Promise<TaskShape> {
  const message = taskRequest('tools/call', { name, arguments: given });
  const { body } = await postModern(organization, message);
  const { result } = body as { result: TaskShape };
  expect(result).toMatchObject({ resultType: 'task' });
  return result;
}

export async function getTask(organization: TestOrganization, taskId: string): Promise<TaskShape> {
  const { body } = await postModern(organization, taskRequest('tasks/get', { taskId }));
  const { result } = body as { result: TaskShape };
  expect(result).toMatchObject({ resultType: 'complete', taskId });
  return result;
}

export async function untilEnded(
  organization: TestOrganization,
  taskId: string,
): Promise<TaskShape> {
  return await waitFor(async () => {
    const task = await getTask(organization, taskId);
    return ['completed', 'failed', 'cancelled'].includes(task.status) ? task : undefined;
  });
}
