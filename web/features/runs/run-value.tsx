import { useState } from 'react';
import { callTool } from '../../api/tools.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { type CutValue, runValuePart } from './run.readers.ts';
import styles from './runs.module.css';

/** The largest number of characters of one part. The page shows each part as soon as it has arrived. */
const PART = 100_000;

export type ValueName = 'payload' | 'input' | 'output' | 'error' | 'failed_attempts';

export interface ValuePlace {
  runId: string;
  stepId?: string;
  value: ValueName;
}

/**
 * Shows a payload, an input or an output. A value that the service has cut is loaded in parts when the person asks for
 * it.
 */
export function RunValue({
  title,
  value,
  cut,
  place,
}: {
  title: string;
  value: unknown;
  cut: CutValue | undefined;
  place: ValuePlace;
}) {
  const texts = useTexts(runsTexts).value;
  const formats = useFormats();
  const [loaded, setLoaded] = useState<{ text: string; total: number; next: string | undefined }>();
  const [error, setError] = useState<unknown>();
  const [isLoading, setLoading] = useState(false);
  if (!cut) return <TextViewer title={title} value={value} />;
  const load = async (): Promise<void> => {
    setLoading(true);
    setError(undefined);
    try {
      const part = await readPart(place, loaded?.next);
      setLoaded({
        text: (loaded?.text ?? '') + part.text,
        total: part.total,
        next: part.next_cursor ?? undefined,
      });
    } catch (failure) {
      setError(failure);
    } finally {
      setLoading(false);
    }
  };
  return (
    <div className={styles.value}>
      <TextViewer title={title} value={loaded?.text ?? `${cut.preview}…`} />
      <div className={styles.valueFoot}>
        <span role="status">
          {loaded
            ? texts.progress(formats.number(loaded.text.length), formats.number(loaded.total))
            : texts.cut(formats.bytes(cut.bytes))}
        </span>
        {(!loaded || loaded.next !== undefined) && (
          <Button size="small" isBusy={isLoading} onClick={() => void load()}>
            {loaded ? texts.loadPart : texts.loadAll}
          </Button>
        )}
      </div>
      {error !== undefined && <ErrorPanel error={error} />}
    </div>
  );
}

function readPart({ runId, stepId, value }: ValuePlace, cursor: string | undefined) {
  const given = { run_id: runId, step_id: stepId, value, cursor, limit: PART };
  return callTool('get_run_value', given, runValuePart);
}

/** Reads a whole value as JSON text. */
export async function readWholeValue(place: ValuePlace): Promise<string> {
  let whole = '';
  let cursor: string | undefined;
  do {
    // Each part needs the cursor of the previous part.
    // oxlint-disable-next-line no-await-in-loop
    const part = await readPart(place, cursor);
    whole += part.text;
    cursor = part.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return whole;
}
