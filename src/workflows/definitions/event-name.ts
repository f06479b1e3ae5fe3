import {
  CUSTOM_EVENT_IN_WORDS,
  type CustomEventName,
  isCustomEventName,
} from '../../events/custom-event-name.js';
import type { FaultList } from '../../errors/fault-list.js';
import { didYouMean } from '../../text/nearest-names.js';

/** Returns the name of a known event or of an event of the organization. Otherwise adds a fault. */
export function parseEventName<T extends string>(
  given: unknown,
  known: readonly T[],
  path: string,
  faults: FaultList,
): T | CustomEventName | undefined {
  const name = known.find((one) => one === given);
  if (name) return name;
  if (isCustomEventName(given)) return given;
  faults.push({
    path,
    message: given === undefined ? 'is required' : () => refusalOf(given, known),
  });
  return undefined;
}

function refusalOf(given: unknown, known: readonly string[]): string {
  const text = typeof given === 'string' ? given : '';
  if (text.startsWith('custom.')) return `must be ${CUSTOM_EVENT_IN_WORDS}`;
  const own = 'or a custom event, such as custom.order_paid';
  return `must be one of ${known.join(', ')}, ${own}.${didYouMean(text, known)}`;
}
