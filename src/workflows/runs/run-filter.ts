import { AppError } from '../../errors/app-error.js';
import { parseTime } from '../../text/parse-time.js';
import type { RunFilterInput } from './run.inputs.js';
import { RUN_STATUSES, type RunStatus } from '../journal/run.entity.js';
import type { RunTriggerType } from '../definitions/trigger.js';

/** A validated filter. `…After` includes the time itself, `…Before` excludes it. */
export interface RunFilter {
  workflowId?: string;
  /** The statuses. The list is never empty. */
  statuses: readonly RunStatus[];
  contactId?: string;
  /** The whole reason of a run, such as `step_failed:a`, or only the part before the colon. */
  reason?: string;
  triggerType?: RunTriggerType;
  createdAfter?: Date;
  createdBefore?: Date;
  finishedAfter?: Date;
  finishedBefore?: Date;
}

export const UNFINISHED = ['queued', 'running', 'waiting'] as const satisfies RunStatus[];
export const FINISHED = ['succeeded', 'failed', 'canceled'] as const satisfies RunStatus[];

type TimeFilter = 'created_after' | 'created_before' | 'finished_after' | 'finished_before';

/** Validates a filter. Throws `invalid_arguments` for a malformed time. */
export function runFilter(input: RunFilterInput): RunFilter {
  return {
    workflowId: input.workflow_id,
    statuses: statusesOf(input),
    contactId: input.contact_id,
    reason: input.reason,
    triggerType: input.trigger_type,
    createdAfter: timeOf(input, 'created_after'),
    createdBefore: timeOf(input, 'created_before'),
    finishedAfter: timeOf(input, 'finished_after'),
    finishedBefore: timeOf(input, 'finished_before'),
  };
}

/**
 * Returns the statuses that the filter allows. A reason or an end time excludes some statuses, even without `status`.
 */
function statusesOf(input: RunFilterInput): readonly RunStatus[] {
  const { status, reason, finished_after: after, finished_before: before } = input;
  if (status === 'unfinished') return UNFINISHED;
  if (status === 'finished') return FINISHED;
  if (status !== undefined) return [status];
  if (reason?.startsWith('step_failed')) return ['failed'];
  return after === undefined && before === undefined ? RUN_STATUSES : FINISHED;
}

function timeOf(input: RunFilterInput, name: TimeFilter): Date | undefined {
  const text = input[name];
  const time = parseTime(text);
  if (text === undefined || time) return time;
  throw AppError.invalid(`${name} must be an RFC 3339 time, such as 2030-01-31T09:00:00Z.`, [
    { path: name, message: 'must be an RFC 3339 time' },
  ]);
}
