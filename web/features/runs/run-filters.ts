import { readTime } from '../../ui/local-time.ts';

const STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'canceled',
  'unfinished',
  'finished',
] as const;
const TRIGGERS = ['webhook', 'manual', 'schedule', 'event', 'tool'] as const;

export const RUN_STATUSES = STATUSES;
export const RUN_TRIGGERS = TRIGGERS;
export type RunTrigger = (typeof TRIGGERS)[number];

/** The filters of the list of runs. They are arguments of `list_runs`, and they are also in the URL of the page. */
export interface RunFilters {
  status?: (typeof STATUSES)[number];
  workflow_id?: string;
  trigger_type?: RunTrigger;
  contact_id?: string;
  reason?: string;
  created_after?: string;
  created_before?: string;
}

/** Reads the filters from an address. Unknown or malformed parts are left out. */
export function readRunFilters(search: Readonly<Record<string, unknown>>): RunFilters {
  const status = STATUSES.find((each) => each === search.status);
  const trigger = TRIGGERS.find((each) => each === search.trigger_type);
  const after = readTime(search.created_after);
  const before = readTime(search.created_before);
  const { workflow_id: workflow, contact_id: contact, reason } = search;
  return {
    ...(status && { status }),
    ...(isFilled(workflow) && { workflow_id: workflow }),
    ...(trigger && { trigger_type: trigger }),
    ...(isFilled(contact) && { contact_id: contact }),
    ...(isFilled(reason) && { reason }),
    ...(after && { created_after: after }),
    ...(before && { created_before: before }),
  };
}

export function readTrigger(value: unknown): RunTrigger | undefined {
  return TRIGGERS.find((each) => each === value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
