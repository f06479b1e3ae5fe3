import { type Read, nullable, number, record } from '../../api/reader.ts';

const retention = record({
  runs_days: nullable(number),
  messages_days: nullable(number),
  webhook_deliveries_days: nullable(number),
  audit_log_days: nullable(number),
});
/** The number of days for which each kind of row is kept. Null means forever. */
export type Retention = Read<typeof retention>;
export type RetentionKind = keyof Retention;
export const retentionResult = record({ retention });
export const RETENTION_KINDS = [
  'runs_days',
  'messages_days',
  'webhook_deliveries_days',
  'audit_log_days',
] as const satisfies readonly RetentionKind[];

/** Returns the days that a person has typed, null for forever, and undefined for a text that is neither. */
export function readDays(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** Returns the settings that differ from the current settings. */
export function changesOf(present: Retention, wanted: Retention): Partial<Retention> {
  const changed = RETENTION_KINDS.filter((kind) => present[kind] !== wanted[kind]);
  return Object.fromEntries(changed.map((kind) => [kind, wanted[kind]]));
}

/** Returns true when a change deletes rows that would be kept without it. */
export function deletes(present: Retention, changes: Partial<Retention>): boolean {
  return RETENTION_KINDS.some((kind) => {
    const days = changes[kind];
    if (typeof days !== 'number') return false;
    return days < (present[kind] ?? Number.POSITIVE_INFINITY);
  });
}
