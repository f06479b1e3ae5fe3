import { useFormats } from '../../texts/format.ts';

interface Times {
  started_at: string | null;
  finished_at: string | null;
}

/** Shows how long a run or a step took. Shows nothing until the run or the step has ended. */
export function RunDuration({ of: { started_at: started, finished_at: finished } }: { of: Times }) {
  const formats = useFormats();
  if (started === null || finished === null) return null;
  return formats.duration(Math.max(0, Date.parse(finished) - Date.parse(started)));
}
