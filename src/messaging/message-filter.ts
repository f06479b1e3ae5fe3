import { AppError } from '../errors/app-error.js';
import { parseTime } from '../text/parse-time.js';
import type { MessageStatus } from './message.entity.js';
import type { MessageFilterInput, MessageStatusFilter } from './message.inputs.js';
import type { MessageFilter } from './messages.repository.js';

const PENDING = ['scheduled', 'queued', 'held', 'sending'] as const satisfies MessageStatus[];
const UNDELIVERED = ['failed', 'canceled', 'suppressed'] as const satisfies MessageStatus[];

/** Validates a filter. Throws `invalid_arguments` for a malformed time. */
export function messageFilter(input: MessageFilterInput): MessageFilter {
  return {
    contactId: input.contact_id,
    statuses: statusesOf(input.status),
    channel: input.channel,
    runId: input.run_id,
    createdAfter: timeOf(input, 'created_after'),
    createdBefore: timeOf(input, 'created_before'),
  };
}

/** Returns the statuses of a filter, or undefined when every status matches. */
function statusesOf(filter: MessageStatusFilter | undefined): readonly MessageStatus[] | undefined {
  if (filter === 'pending') return PENDING;
  if (filter === 'undelivered') return UNDELIVERED;
  return filter === undefined ? undefined : [filter];
}

function timeOf(
  input: MessageFilterInput,
  name: 'created_after' | 'created_before',
): Date | undefined {
  const text = input[name];
  const time = parseTime(text);
  if (text === undefined || time) return time;
  throw AppError.invalidField(name, 'must be an RFC 3339 time, such as 2030-01-31T09:00:00Z');
}
