import { textOf } from './definition.ts';
type Names = Readonly<Record<'webhook' | 'manual' | 'schedule' | 'event', string>>;

/** Returns a description of the trigger of a workflow: its kind, with its event or its times. */
export function triggerName(trigger: Readonly<Record<string, unknown>>, names: Names): string {
  const { type, event, cron } = trigger;
  const detail = typeof event === 'string' ? event : typeof cron === 'string' ? cron : undefined;
  const name =
    type === 'webhook' || type === 'manual' || type === 'schedule' || type === 'event'
      ? names[type]
      : textOf(type);
  return detail === undefined ? name : `${name}: ${detail}`;
}
