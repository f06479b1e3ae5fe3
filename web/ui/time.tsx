import { useFormats } from '../texts/format.ts';
import { useNow } from './use-now.ts';

/** Shows a time in the time zone of the person: how long ago it was, and the exact time in the tooltip. */
export function Time({ value, isExact = false }: { value: string; isExact?: boolean }) {
  const formats = useFormats();
  const now = useNow();
  return (
    <time dateTime={value} title={formats.exactTime(value)}>
      {isExact ? formats.time(value) : formats.timeAgo(value, now)}
    </time>
  );
}
