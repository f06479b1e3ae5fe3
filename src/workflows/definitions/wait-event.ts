import { EVENT_NAMES, type EventName } from '../../events/domain-event.js';

/** What a step can wait for by its name: what happens in the organization, or a call of the step's own URL. */
export const WAIT_EVENTS = [...EVENT_NAMES, 'resume'] as const;

/** What a step waits for; that a run has ended is waited for by `run_workflow` only. */
export type WaitEvent = EventName | 'resume' | 'run.ended';
