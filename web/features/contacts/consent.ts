import { isObject } from '../../api/reader.ts';

/** Returns the decision about each channel, without its source and time. Undefined when there is none. */
export function consentOf(
  consent: Readonly<Record<string, unknown>>,
): Record<string, string> | undefined {
  const decided = Object.entries(consent).flatMap(([channel, state]) =>
    isObject(state) && typeof state.status === 'string' ? [[channel, state.status] as const] : [],
  );
  return decided.length > 0 ? Object.fromEntries(decided) : undefined;
}

/**
 * Returns the argument `consent` with the changed channels. Returns an empty object when no channel has changed. A
 * decision can be replaced but not removed, so a channel that a person empties keeps its decision.
 */
export function changedConsent(
  before: Readonly<Record<string, unknown>>,
  after: unknown,
): { consent?: Record<string, unknown> } {
  const decided = consentOf(before) ?? {};
  const changed = Object.entries(isObject(after) ? after : {}).filter(
    ([channel, status]) => typeof status === 'string' && decided[channel] !== status,
  );
  return changed.length > 0 ? { consent: Object.fromEntries(changed) } : {};
}
