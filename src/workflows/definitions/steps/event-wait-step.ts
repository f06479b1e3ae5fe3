import { EVENT_NAMES, type EventName } from '../../../events/domain-events.js';
import type { EventWaitStep, WaitStep } from '../definition.js';
import { checkKeys, isObject, type Json, parseName } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';
import { parseWait } from './wait-step.js';

/** Lists the events that a step can wait for: domain events, and a call of the step's resume URL. */
const WAIT_EVENTS = [...EVENT_NAMES, 'resume'] as const;

/** Names the event of a stored wait. Only `run_workflow` steps wait for `run.ended`. */
export type WaitEvent = EventName | 'resume' | 'run.ended';

export const EVENT_WAIT_STEP: StepKind<EventWaitStep> = {
  marks: ['wait_for_event'],
  hint: '"wait_for_event"',
  keys: ['wait_for_event'],

  parse: (given, path, parser) => ({
    wait_for_event: parseEventWait(given.wait_for_event, `${path}.wait_for_event`, parser),
  }),

  check(step, path, checks) {
    const { if: condition, timeout } = step.wait_for_event;
    checks.condition(condition, `${path}.wait_for_event.if`, ['event']);
    checks.value(timeout, `${path}.wait_for_event.timeout`);
  },

  waitReason: 'event',
};

export function isEventWait(step: object): step is EventWaitStep {
  return 'wait_for_event' in step;
}

function parseEventWait(
  given: unknown,
  path: string,
  parser: StepParser,
): EventWaitStep['wait_for_event'] {
  if (!isObject(given)) {
    parser.fault(path, 'must be an object with "event" and "timeout"');
    return { event: 'resume', timeout: {} };
  }
  const event = parseName(given.event, WAIT_EVENTS, `${path}.event`, parser.faults) ?? 'resume';
  // A resume URL belongs to one step, and its first call counts, so it takes no condition.
  const keys =
    event === 'resume' ? ['event', 'timeout'] : ['event', 'if', 'any_contact', 'timeout'];
  checkKeys(given, path, keys, parser.faults);
  if (given.any_contact !== undefined && typeof given.any_contact !== 'boolean') {
    parser.fault(`${path}.any_contact`, 'must be true or false');
  }
  return {
    event,
    ...parser.condition(given, path),
    ...(given.any_contact === true && { any_contact: true }),
    timeout: parseTimeout(given, path, parser),
  };
}

function parseTimeout(given: Json, path: string, parser: StepParser): WaitStep['wait'] {
  if (given.timeout !== undefined) return parseWait(given.timeout, `${path}.timeout`, parser);
  parser.fault(`${path}.timeout`, 'is required');
  return {};
}
