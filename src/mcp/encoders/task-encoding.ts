import type { AppError } from '../../errors/app-error.js';
import type { Task, TaskState } from '../../tools/contract/task-source.js';
import { ToolContent } from '../../tools/contract/tool.decorator.js';
import { INTERNAL_ERROR } from '../json-rpc-error.js';
import type { JsonObject } from '../json-rpc.js';
import { knownError } from '../app-error-encoding.js';
import { encoderOf } from './encoder-of.js';
import { COMPLETE, inputRequestsOf } from './modern.encoder.js';

const SHORTEST_POLL_MS = 1000;
const LONGEST_POLL_MS = 60_000;

const MODERN = encoderOf({ name: 'modern' });

/** Encodes the result of a call that became a task (CreateTaskResult of the Tasks extension). */
export function createdTask(task: Task, meta?: JsonObject): string {
  const _meta = { ...meta, ...COMPLETE._meta };
  return JSON.stringify({ ...frame(task), resultType: 'task', _meta });
}

export function taskResult(task: Task): string {
  return JSON.stringify({ ...taskStatus(task), ...COMPLETE });
}

/** The JSON text of the result of `tasks/update` and `tasks/cancel`. */
export const ACKNOWLEDGED = JSON.stringify(COMPLETE);

/** Returns the members of a task in `tasks/get` and `notifications/tasks` (DetailedTask of the Tasks extension). */
export function taskStatus(task: Task): JsonObject {
  return { ...frame(task), ...payload(task.state) };
}

function frame({ id, createdAt, changedAt, state, message, askAgainAt }: Task): JsonObject {
  return {
    taskId: id,
    status: STATUS[state.status],
    ...(message !== undefined && { statusMessage: message }),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: changedAt.toISOString(),
    // Tasks do not expire.
    ttlMs: null,
    pollIntervalMs: pollInterval(askAgainAt),
  };
}

/**
 * The status in the extension for each status of a task. In the extension, `failed` means a JSON-RPC error. When a tool
 * fails, its task is `completed` with a failed result.
 */
const STATUS = {
  working: 'working',
  asking: 'input_required',
  succeeded: 'completed',
  failed: 'completed',
  lost: 'failed',
  canceled: 'cancelled',
} as const satisfies Record<TaskState['status'], string>;

function payload(state: TaskState): JsonObject {
  switch (state.status) {
    case 'working':
    case 'canceled':
      return {};
    case 'asking':
      return { inputRequests: inputRequestsOf(state.requests) };
    case 'succeeded':
      return { result: callResult(state.result) };
    case 'failed':
      return { result: callFailure(state.error) };
    case 'lost':
      return { error: { code: INTERNAL_ERROR, message: 'The work was lost.' } };
  }
}

/** Returns the result of a task as `tools/call` would return it. */
function callResult(result: object): unknown {
  const text =
    result instanceof ToolContent
      ? MODERN.toolContent(JSON.stringify(result.content))
      : MODERN.toolResult(JSON.stringify(result));
  return JSON.parse(text);
}

function callFailure(error: AppError): unknown {
  return JSON.parse(MODERN.toolFailure(JSON.stringify(knownError(error))));
}

/**
 * Returns the time in milliseconds until a client should poll again. For a task that waits for a long time, the result
 * is large, because every poll counts towards the rate limit.
 */
function pollInterval(askAgainAt: Date | undefined): number {
  const wait = askAgainAt ? askAgainAt.getTime() - Date.now() : 0;
  return Math.min(Math.max(wait, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}
