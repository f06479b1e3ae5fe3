import type { Fault } from '../errors/app-error.js';
import { didYouMean } from '../tools/nearest-names.js';

export type TriggerType = 'webhook' | 'manual';

/** What starts a workflow. `secret`: true generates one, text is one, null means none, absent leaves it as it is. */
export interface Trigger {
  type: TriggerType;
  secret?: true | string | null;
}

const SUPPORTED: readonly string[] = ['webhook', 'manual'];
const PLANNED: readonly string[] = ['schedule', 'event'];
const MIN_SECRET = 16;
const MAX_SECRET = 256;

/** Reads a trigger; adds every fault with its path, and then the result is not to be used. */
export function parseTrigger(given: object, faults: Fault[]): Trigger {
  const trigger = given as Record<string, unknown>;
  const type = trigger.type;
  const at = 'trigger.type';
  if (type === undefined) faults.push({ path: at, message: 'is required' });
  else if (typeof type === 'string' && PLANNED.includes(type)) {
    faults.push({ path: at, message: `"${type}" is not supported; use webhook or manual` });
  } else if (typeof type !== 'string' || !SUPPORTED.includes(type)) {
    faults.push({ path: at, message: 'must be "webhook" or "manual"' });
  }
  const known = type === 'manual' ? ['type'] : ['type', 'secret'];
  for (const key of Object.keys(trigger)) {
    if (known.includes(key)) continue;
    faults.push({ path: `trigger.${key}`, message: `is not known.${didYouMean(key, known)}` });
  }
  return { type: type as TriggerType, ...parseSecret(trigger, faults) };
}

function parseSecret(trigger: Record<string, unknown>, faults: Fault[]): Pick<Trigger, 'secret'> {
  const secret = trigger.secret;
  if (secret === undefined || trigger.type === 'manual') return {};
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
