import { parseTimezone } from '../../contacts/parse-field.js';
import { type EventName, EVENT_NAMES } from '../../events/domain-events.js';
import type { FaultList } from '../../errors/fault-list.js';
import { parseEventName } from './event-name.js';
import { checkKeys, type Json } from './step-fields.js';
import { type ContactMapping, parseContactMapping } from './contact-mapping.js';
import { Cron, MAX_CRON_CHARACTERS } from './calendar/cron.js';
import { parseRunLimits, type RunLimits } from './run-limits.js';
import { MAX_WAIT_SECONDS } from './steps/wait-step.js';
import { isWhole, parseWebhookOptions, type WebhookOptionChanges } from './webhook-options.js';

const TRIGGER_TYPES = ['webhook', 'manual', 'schedule', 'event'] as const;

export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** The ways to start a run. `tool` means that an agent called the offered workflow. */
export const RUN_TRIGGER_TYPES = [...TRIGGER_TYPES, 'tool'] as const;

export type RunTriggerType = (typeof RUN_TRIGGER_TYPES)[number];

const MISSED_POLICIES = ['skip', 'run_once'] as const;

/** The options of a trigger in the form in which they are stored and shown, without the type and the secret. */
export interface TriggerOptions {
  /** The event of an event trigger. */
  event?: EventName;
  /** The id of a segment. Only events about this segment start runs. */
  segment?: string;
  /**
   * The times of a schedule trigger. `timezone` is their time zone, and `missed` the rule for times at which no worker
   * was running.
   */
  cron?: string;
  timezone?: string;
  missed?: (typeof MISSED_POLICIES)[number];
  /** The Liquid condition. No run starts when it is false. */
  if?: string;
  /** The mapping of the payload of a webhook or manual trigger to the contact of the run. */
  contact?: ContactMapping;
  limits?: RunLimits;
  /** The seconds from the start of a run until it fails, if it has not ended. */
  run_timeout_seconds?: number;
}

/** A parsed trigger. `secret`: true generates a secret, text sets it, null removes it, an absent value keeps it. */
export interface Trigger {
  type: TriggerType;
  secret?: true | string | null;
  /** The seconds for which the previous secret stays valid. With 0, the previous secret becomes invalid immediately. */
  overlapSeconds?: number;
  webhook?: WebhookOptionChanges;
  options: TriggerOptions;
}

/** The members that each type of trigger may have. */
export const TRIGGER_KEYS: Record<TriggerType, readonly string[]> = {
  webhook: [
    'type',
    'secret',
    'overlap_seconds',
    'tolerance_seconds',
    'wait_seconds',
    'dedupe_seconds',
    'signature',
    'verify_token',
    'accept',
    'headers',
    'if',
    'contact',
    'limits',
    'run_timeout_seconds',
  ],
  manual: ['type', 'contact', 'limits', 'run_timeout_seconds'],
  schedule: ['type', 'cron', 'timezone', 'missed', 'if', 'limits', 'run_timeout_seconds'],
  event: ['type', 'event', 'segment', 'if', 'limits', 'run_timeout_seconds'],
};
export const MIN_SECRET = 16;
export const MAX_SECRET = 256;
/** The largest number of seconds for which a replaced secret stays valid. */
export const MAX_OVERLAP = 30 * 24 * 60 * 60;

/** Parses a trigger. Adds every fault with its path. If there are faults, the result must not be used. */
export function parseTrigger(given: object, faults: FaultList): Trigger {
  const trigger = given as Json;
  const { type } = trigger;
  if (!isType(type)) {
    const message =
      type === undefined ? 'is required' : `must be one of ${TRIGGER_TYPES.join(', ')}`;
    faults.push({ path: 'trigger.type', message });
    // Without a valid type, it is unknown which other keys the trigger may have, so they are not checked.
    return { type: 'manual', options: {} };
  }
  const known = TRIGGER_KEYS[type];
  checkKeys(trigger, 'trigger', known, faults);
  const options: TriggerOptions = {};
  if (type === 'event') {
    options.event = parseEventName(trigger.event, EVENT_NAMES, 'trigger.event', faults);
    if (trigger.segment !== undefined) options.segment = parseSegment(trigger, faults);
  }
  if (type === 'schedule') Object.assign(options, parseSchedule(trigger, faults));
  if (known.includes('if') && trigger.if !== undefined) options.if = parseIf(trigger.if, faults);
  if (known.includes('contact') && trigger.contact !== undefined) {
    options.contact = parseContactMapping(trigger.contact, faults);
  }
  if (trigger.limits !== undefined) {
    options.limits = parseRunLimits(trigger.limits, 'trigger.limits', faults);
  }
  if (trigger.run_timeout_seconds !== undefined) {
    options.run_timeout_seconds = parseRunTimeout(trigger.run_timeout_seconds, faults);
  }
  return { type, ...(type === 'webhook' && parseWebhook(trigger, faults)), options };
}

function isType(type: unknown): type is TriggerType {
  return TRIGGER_TYPES.some((known) => known === type);
}

function parseWebhook(trigger: Json, faults: FaultList): Omit<Trigger, 'type' | 'options'> {
  return {
    ...parseSecret(trigger, faults),
    ...parseOverlap(trigger, faults),
    webhook: parseWebhookOptions(trigger, faults),
  };
}

function parseSecret(trigger: Json, faults: FaultList): Pick<Trigger, 'secret'> {
  const { secret } = trigger;
  if (secret === undefined) return {};
  if (secret === true || secret === null) return { secret };
  if (typeof secret === 'string' && secret.length >= MIN_SECRET && secret.length <= MAX_SECRET) {
    return { secret };
  }
  faults.push({
    path: 'trigger.secret',
    message: `must be true, null, or text of ${MIN_SECRET} to ${MAX_SECRET} characters`,
  });
  return {};
}

function parseSchedule(trigger: Json, faults: FaultList): TriggerOptions {
  const { cron, timezone = 'UTC', missed = 'skip' } = trigger;
  const zone = typeof timezone === 'string' ? parseTimezone(timezone) : undefined;
  if (!zone || 'fault' in zone) {
    const message = 'must be a time zone such as Europe/Berlin';
    faults.push({ path: 'trigger.timezone', message });
  }
  const policy = MISSED_POLICIES.find((known) => known === missed);
  if (!policy) {
    faults.push({ path: 'trigger.missed', message: `must be ${MISSED_POLICIES.join(' or ')}` });
  }
  const fault = cronFault(cron);
  if (fault) faults.push({ path: 'trigger.cron', message: fault });
  return { cron: cron as string, timezone: timezone as string, missed: policy };
}

function cronFault(cron: unknown): string | undefined {
  if (cron === undefined) return 'is required';
  if (typeof cron !== 'string' || cron.length > MAX_CRON_CHARACTERS) {
    return `must be text of at most ${MAX_CRON_CHARACTERS} characters`;
  }
  const parsed = Cron.parse(cron);
  if (!(parsed instanceof Cron)) return parsed.fault;
  // Any time zone can be used here, because a date that does not exist is missing in all of them.
  return parsed.next(new Date(), 'UTC') ? undefined : 'never matches a date';
}

/** Parses a condition. The definition checker checks the expression itself. */
function parseIf(given: unknown, faults: FaultList): string | undefined {
  if (typeof given === 'string' && given.trim() !== '') return given;
  faults.push({ path: 'trigger.if', message: 'must be a condition, as text' });
  return undefined;
}

function parseSegment({ event, segment }: Json, faults: FaultList): string | undefined {
  const isSegmentEvent = event === 'segment.entered' || event === 'segment.left';
  if (isSegmentEvent && typeof segment === 'string' && /^seg_\w{1,60}$/.test(segment))
    return segment;
  const message = isSegmentEvent
    ? 'must be the id of a segment'
    : 'is only for the events segment.entered and segment.left';
  faults.push({ path: 'trigger.segment', message });
  return undefined;
}

function parseRunTimeout(given: unknown, faults: FaultList): number | undefined {
  if (isWhole(given, 1, MAX_WAIT_SECONDS)) return given;
  const message = `must be a whole number from 1 to ${MAX_WAIT_SECONDS}`;
  faults.push({ path: 'trigger.run_timeout_seconds', message });
  return undefined;
}

function parseOverlap(trigger: Json, faults: FaultList): Pick<Trigger, 'overlapSeconds'> {
  const seconds = trigger.overlap_seconds;
  if (seconds === undefined) return {};
  const path = 'trigger.overlap_seconds';
  if (!isWhole(seconds, 0, MAX_OVERLAP)) {
    faults.push({ path, message: `must be a whole number from 0 to ${MAX_OVERLAP}` });
  } else if (seconds > 0 && (trigger.secret === undefined || trigger.secret === null)) {
    // Without a new secret, a longer overlap would make an expired previous secret valid again.
    faults.push({ path, message: 'needs "secret": true or a new secret if it is above 0' });
  } else return { overlapSeconds: seconds };
  return {};
}
