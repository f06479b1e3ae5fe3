import { parseTimezone } from '../../contacts/parse-field.js';
import { AppError } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { parseTime } from '../../text/parse-time.js';
import {
  addLocalMonths,
  instantOf,
  isLocalTime,
  isTimeOfDay,
} from '../definitions/calendar/local-time.js';
import type { WaitStep, WaitUnit } from '../definitions/definition.js';
import {
  durationFault,
  MAX_WAIT_SECONDS,
  TIMES_IN_WORDS,
  UNIT_SECONDS,
} from '../definitions/steps/wait-step.js';
import type { JournalEntry } from '../journal/claimed-run.js';

interface WaitEnd {
  readonly at: Date;
  readonly timezone?: string;
}

interface WaitGiven {
  readonly organizationId: string;
  readonly wait: WaitStep['wait'];
  readonly scope: object;
  readonly now: Date;
}

/**
 * Returns the end of a wait. Throws `invalid_arguments` when a value is invalid, or the end is more than 366 days after
 * `now`.
 */
export async function computeWaitEnd(given: WaitGiven, liquid: LiquidSandbox): Promise<WaitEnd> {
  const { organizationId, wait, scope, now } = given;
  const { until } = wait;
  if (until === undefined) return await computeDurationEnd(given, liquid);
  const text = await liquid.evaluate(organizationId, until, scope);
  const time = parseTime(text);
  const end = time ? { at: time } : await computeLocalEnd(text, given, liquid);
  if (end.at.getTime() > now.getTime() + MAX_WAIT_SECONDS * 1000) {
    throw AppError.invalid('until must be at most 366 days away.');
  }
  return end;
}

/** Returns the entry of a step that waits until a time. Both times are those of the database clock. */
export function toWaiting(entry: JournalEntry, wakeAt: Date, now: Date): JournalEntry {
  const dueAt = performance.now() + wakeAt.getTime() - now.getTime();
  return { ...entry, status: 'waiting', wakeAt, dueAt };
}

async function computeDurationEnd(given: WaitGiven, liquid: LiquidSandbox): Promise<WaitEnd> {
  const { organizationId, wait, scope, now } = given;
  const { timezone: _, ...durations } = wait;
  const [unit, written] = Object.entries(durations)[0] as [WaitUnit, number | string];
  const value =
    typeof written === 'string' ? await liquid.evaluate(organizationId, written, scope) : written;
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const fault = durationFault(unit, amount, true);
  if (fault !== undefined) throw AppError.invalid(`The ${unit} of a wait ${fault}.`);
  if (unit !== 'months') {
    return { at: new Date(now.getTime() + Number(amount) * UNIT_SECONDS[unit] * 1000) };
  }
  const timezone = await findTimezone(given, liquid);
  return { at: addLocalMonths(now, Number(amount), timezone), timezone };
}

async function computeLocalEnd(
  text: unknown,
  given: WaitGiven,
  liquid: LiquidSandbox,
): Promise<WaitEnd> {
  const { weekdays } = given.wait;
  if (typeof text !== 'string' || !isLocalTime(text)) {
    throw AppError.invalid(`until must be ${TIMES_IN_WORDS}.`);
  }
  if (weekdays && !isTimeOfDay(text)) throw AppError.invalid('weekdays needs a time of day.');
  const timezone = await findTimezone(given, liquid);
  return { at: instantOf(text, timezone, given.now, weekdays), timezone };
}

async function findTimezone(
  { organizationId, wait: { timezone }, scope }: WaitGiven,
  liquid: LiquidSandbox,
): Promise<string> {
  const { contact } = scope as { contact?: { timezone?: unknown } | null };
  const ofStep =
    timezone === undefined ? null : await liquid.evaluate(organizationId, timezone, scope);
  const given = [ofStep, contact?.timezone].find((zone) => zone !== null && zone !== '') ?? 'UTC';
  const name = typeof given === 'string' ? given : JSON.stringify(given);
  const zone = parseTimezone(name);
  if ('fault' in zone) throw AppError.invalid(`timezone ${zone.fault}.`);
  return name;
}
