import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isObject } from '../../api/reader.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { newKey } from './new-key.ts';
import { readWholeValue } from './run-value.tsx';
import { type Run, runResult } from './run.readers.ts';
import styles from './runs.module.css';

interface ReplayProps {
  run: Run;
  onClose: () => void;
  onStarted: (runId: string) => void;
}

/** The largest payload that can be edited. A call has at most 1 MiB, and browsers edit long texts slowly. */
const MAX_EDITED_BYTES = 1_000_000;

/** Starts a copy of a run, with its payload or an edited one. */
export function ReplayDialog({ run, onClose, onStarted }: ReplayProps) {
  const texts = useTexts(runsTexts);
  const isTooLarge = (run.trigger.payload_cut?.bytes ?? 0) > MAX_EDITED_BYTES;
  const payload = useQuery({
    enabled: !isTooLarge,
    queryKey: ['whole-payload', run.id],
    queryFn: async () =>
      formatText(
        run.trigger.payload_cut
          ? await readWholeValue({ runId: run.id, value: 'payload' })
          : JSON.stringify(run.trigger.payload ?? {}),
      ),
    // The payload is read only once: it never changes, and a second answer would replace the typed text.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.replayTitle}
      description={texts.replayText}
      isWide
    >
      {payload.error && <ErrorPanel error={payload.error} onRetry={() => void payload.refetch()} />}
      {!isTooLarge && payload.data === undefined && !payload.error && <Skeleton rows={4} />}
      {(isTooLarge || payload.data !== undefined) && (
        <ReplayForm
          run={run}
          original={isTooLarge ? undefined : payload.data}
          onClose={onClose}
          onStarted={onStarted}
        />
      )}
    </Dialog>
  );
}

/** Shows the form of a replay. Without `original`, the payload cannot be edited. */
function ReplayForm({
  run,
  original,
  onClose,
  onStarted,
}: ReplayProps & { original: string | undefined }) {
  const texts = useTexts(runsTexts);
  const ui = useTexts(uiTexts);
  const [payload, setPayload] = useState(original ?? '');
  const [version, setVersion] = useState('latest');
  // The idempotency key: a repeated click starts one run. A new payload or version gets a new key.
  const [key, setKey] = useState(newKey);
  const [fault, setFault] = useState<string>();
  const replay = useToolCall('replay_run', runResult, ['list_runs']);
  const isEdited = original !== undefined && payload.trim() !== original.trim();
  const submit = (): void => {
    const value = isEdited ? parse(payload) : undefined;
    const isRight = !isEdited || isObject(value);
    setFault(isRight ? undefined : texts.notObject);
    if (!isRight) return;
    const given = { run_id: run.id, version, payload: value, idempotency_key: key };
    replay.mutate(given, { onSuccess: (copy) => onStarted(copy.run.id) });
  };
  return (
    <>
      {original === undefined ? (
        <p>{texts.replayLarge}</p>
      ) : (
        <TextAreaField
          label={texts.replayPayload}
          description={texts.replayEdited}
          fault={fault}
          isCode
          rows={10}
          value={payload}
          onChange={(next) => {
            setPayload(next);
            setKey(newKey());
          }}
        />
      )}
      <SelectField
        label={texts.replayVersion}
        value={version}
        options={[
          { value: 'latest', label: texts.versions.latest },
          { value: 'same', label: texts.versions.same },
        ]}
        onChange={(next) => {
          setVersion(next);
          setKey(newKey());
        }}
      />
      {replay.error && <ErrorPanel error={replay.error} />}
      <div className={styles.formActions}>
        <Button onClick={onClose}>{ui.cancel}</Button>{' '}
        <Button look="primary" isBusy={replay.isPending} onClick={submit}>
          {texts.replay}
        </Button>
      </div>
    </>
  );
}

function formatText(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
