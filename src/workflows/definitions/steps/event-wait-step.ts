import { EVENT_NAMES, type EventName } from '../../../events/domain-events.js';
import { didYouMean } from '../../../text/nearest-names.js';
import type { OnError } from '../definition.js';
import { type Json, checkKeys, isObject } from '../step-fields.js';
import type { StepKind } from './step-kind.js';
import type { StepParser } from './step-parser.js';
import { type WaitStep, parseWait } from './wait-step.js';

/**
 * Keeps the run from going on before an event, or before the URL of the step was called, or before a time-out. `if` of
 * the wait is a condition on the event; `any_contact` lets events about other contacts than the run's count.
 */
export interface EventWaitStep {
  id: string;
  if?: string;
  on_error?: OnError;
  wait_for_event: {
    event: EventName | 'resume';
    if?: string;
    any_contact?: boolean;
    timeout: WaitStep['wait'];
  };
}

export const EVENT_WAIT_STEP: StepKind<EventWaitStep> = {
  marks: ['wait_for_event'],
  hint: '"wait_for_event"',
  keys: ['wait_for_event', 'if'],

  parse: (given, path, parser) => ({
    ...parser.condition(given, path),
    wait_for_event: parseEventWait(given.wait_for_event, `${path}.wait_for_event`, parser),
  }),

  check(step, path, checks) {
    const { if: condition, timeout } = step.wait_for_event;
    checks.condition(step.if, `${path}.if`);
    checks.condition(condition, `${path}.wait_for_event.if`, ['event']);
    checks.value(timeout, `${path}.wait_for_event.timeout`);
  },

  lists: () => [],
  inside: () => [],
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
  const event = parseEvent(given.event, `${path}.event`, parser);
  // Which call of its URL counts is for the step's own secret to say: the first.
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

function parseEvent(given: unknown, path: string, parser: StepParser): EventName | 'resume' {
  const event = WAIT_EVENTS.find((name) => name === given);
  if (event) return event;
  const near = typeof given === 'string' ? didYouMean(given, WAIT_EVENTS) : '';
  const known = `must be one of ${WAIT_EVENTS.join(', ')}.${near}`;
  parser.fault(path, given === undefined ? 'is required' : known);
  return 'resume';
}

function parseTimeout(given: Json, path: string, parser: StepParser): WaitStep['wait'] {
  if (given.timeout !== undefined) return parseWait(given.timeout, `${path}.timeout`, parser);
  parser.fault(`${path}.timeout`, 'is required');
  return {};
}

/** What a step can wait for by its name: what happens in the organization, or a call of the step's own URL. */
export const WAIT_EVENTS = [...EVENT_NAMES, 'resume'] as const;

/** What a step waits for; that a run has ended is waited for by `run_workflow` only. */
export type WaitEvent = EventName | 'resume' | 'run.ended';
