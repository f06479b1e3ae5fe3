import { useFormats } from '../../texts/format.ts';

interface Times {
  started_at: string | null;
  finished_at: string | null;
}

/** Shows the time that a run or a step took, and nothing while it has not ended. */
export function RunDuration({ of: { started_at: started, finished_at: finished } }: { of: Times }) {
  const formats = useFormats();
  if (started === null || finished === null) return null;
  return formats.duration(Math.max(0, Date.parse(finished) - Date.parse(started)));
}
