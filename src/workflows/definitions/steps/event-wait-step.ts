import { EVENT_NAMES, type EventName } from '../../../events/domain-events.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import type { EventWaitStep, WaitStep } from '../definition.js';
import { parseEventName } from '../event-name.js';
import { checkKeys, type Json } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';
import { parseWait } from './wait-step.js';

/** The known events that a step can wait for: domain events, and a call of the step's resume URL. */
const WAIT_EVENTS = [...EVENT_NAMES, 'resume'] as const;

/**
 * The event of a stored wait. Only `run_workflow` steps wait for `run.ended`. `any` stands for several events, whose
 * names are in the bindings of the wait.
 */
export type WaitEvent = EventName | 'resume' | 'run.ended' | 'any';

/** The name of the binding that contains the names of the events of a wait. No variable has a name with a dot. */
export const EVENTS_BINDING = '.events';

const MOST_EVENTS = 10;

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

/** Returns true when a call of the step's resume URL ends the wait. */
export function isResumable(step: object): step is EventWaitStep {
  return isEventWait(step) && step.wait_for_event.event === 'resume';
}

function parseEventWait(
  given: unknown,
  path: string,
  parser: StepParser,
): EventWaitStep['wait_for_event'] {
  if (!isJsonObject(given)) {
    parser.fault(path, 'must be an object with "event" or "events", and "timeout"');
    return { event: 'resume', timeout: {} };
  }
  const named = parseNames(given, path, parser);
  // A resume URL belongs to one step, and its first call ends the wait. So the wait takes no condition.
  const keys =
    named.event === 'resume'
      ? ['event', 'timeout']
      : ['event', 'events', 'if', 'any_contact', 'timeout'];
  checkKeys(given, path, keys, parser.faults);
  if (given.any_contact !== undefined && typeof given.any_contact !== 'boolean') {
    parser.fault(`${path}.any_contact`, 'must be true or false');
  }
  return {
    ...named,
    ...parser.condition(given, path),
    ...(given.any_contact === true && { any_contact: true }),
    timeout: parseTimeout(given, path, parser),
  };
}

function parseNames(
  given: Json,
  path: string,
  parser: StepParser,
): Pick<EventWaitStep['wait_for_event'], 'event' | 'events'> {
  const { event, events } = given;
  if (events === undefined) {
    const name = parseEventName(event, WAIT_EVENTS, `${path}.event`, parser.faults);
    return { event: name ?? 'resume' };
  }
  const at = `${path}.events`;
  if (event !== undefined) parser.fault(at, 'must be absent, because there is "event"');
  const isList = Array.isArray(events) && new Set(events).size === events.length;
  if (!isList || events.length < 2 || events.length > MOST_EVENTS) {
    parser.fault(at, `must be a list of 2 to ${MOST_EVENTS} different events`);
    return { events: [] };
  }
  const names = events.map((name, index) =>
    parseEventName(name, EVENT_NAMES, `${at}[${index}]`, parser.faults),
  );
  return { events: names.filter((name) => name !== undefined) };
}

function parseTimeout(given: Json, path: string, parser: StepParser): WaitStep['wait'] {
  if (given.timeout !== undefined) return parseWait(given.timeout, `${path}.timeout`, parser);
  parser.fault(`${path}.timeout`, 'is required');
  return {};
}
