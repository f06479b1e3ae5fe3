import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { retentionTexts } from '../../texts/retention.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './retention.module.css';
import {
  RETENTION_KINDS,
  type Retention,
  type RetentionKind,
  changesOf,
  deletes,
  readDays,
  retentionResult,
} from './retention.ts';

/** Shows for how many days rows are kept. */
export function RetentionPage() {
  const texts = useTexts(retentionTexts);
  const query = useTool('get_retention', {}, retentionResult);
  return (
    <Page title={texts.title} about={`${texts.about} ${texts.forever}`}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={5} />}
      {query.data && <RetentionForm present={query.data.retention} />}
    </Page>
  );
}

function RetentionForm({ present }: { present: Retention }) {
  const texts = useTexts(retentionTexts);
  const toast = useToast();
  const call = useToolCall('set_retention', retentionResult, ['get_retention']);
  const [typed, setTyped] = useState<Partial<Record<RetentionKind, string>>>({});
  const [isTried, setTried] = useState(false);
  const [asked, setAsked] = useState<Partial<Retention>>();
  const shown = (kind: RetentionKind): string => typed[kind] ?? String(present[kind] ?? '');
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (kind: RetentionKind): string | undefined =>
    isTried && readDays(shown(kind)) === undefined
      ? texts.wrong
      : faults.find(({ path }) => path === kind)?.message;
  const save = (changes: Partial<Retention>): void =>
    call.mutate(changes, {
      onSuccess: () => {
        setTyped({});
        toast(texts.saved);
      },
      onSettled: () => setAsked(undefined),
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (RETENTION_KINDS.some((kind) => readDays(shown(kind)) === undefined)) return;
    const days = (kind: RetentionKind): number | null => readDays(shown(kind)) ?? null;
    const changes = changesOf(present, {
      runs_days: days('runs_days'),
      messages_days: days('messages_days'),
      webhook_deliveries_days: days('webhook_deliveries_days'),
      audit_log_days: days('audit_log_days'),
    });
    if (Object.keys(changes).length === 0) toast(texts.unchanged);
    else if (deletes(present, changes)) setAsked(changes);
    else save(changes);
  };
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      {RETENTION_KINDS.map((kind) => (
        <TextField
          key={kind}
          inputMode="numeric"
          label={texts.kinds[kind].label}
          description={texts.kinds[kind].about}
          fault={faultOf(kind)}
          value={shown(kind)}
          onChange={(value) => setTyped({ ...typed, [kind]: value })}
        />
      ))}
      {call.error && <ErrorPanel error={call.error} shownPaths={faults.map(({ path }) => path)} />}
      <div>
        <Button type="submit" look="primary" isBusy={call.isPending}>
          {texts.save}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={texts.confirmTitle}
        description={texts.confirmText}
        action={texts.confirm}
        isDangerous
        isBusy={call.isPending}
        onConfirm={() => asked && save(asked)}
      />
    </form>
  );
}
