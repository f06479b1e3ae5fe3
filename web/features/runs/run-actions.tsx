import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { type Run, runResult } from './run.readers.ts';

/** Offers the actions that the current state of a run allows. */
export function RunActions({ run }: { run: Run }) {
  const texts = useTexts(runsTexts);
  const navigate = useNavigate();
  const toast = useToast();
  const [isReplaying, setReplaying] = useState(false);
  const canRetry = run.status === 'failed' || run.status === 'canceled';
  return (
    <>
      {run.finished_at === null && <ChangeRun run={run} action="cancel" />}
      {canRetry && <ChangeRun run={run} action="retry" />}
      <Button onClick={() => setReplaying(true)}>{texts.replay}</Button>
      {isReplaying && (
        <ReplayDialog
          run={run}
          onClose={() => setReplaying(false)}
          onStarted={(runId) => {
            setReplaying(false);
            toast(texts.replayed);
            void navigate({ to: '/runs/$runId', params: { runId } });
          }}
        />
      )}
    </>
  );
}

const CHANGES = {
  cancel: { tool: 'cancel_run', title: 'cancelTitle', about: 'cancelText', done: 'canceled' },
  retry: { tool: 'retry_run', title: 'retryTitle', about: 'retryText', done: 'retried' },
} as const;

function ChangeRun({ run, action }: { run: Run; action: keyof typeof CHANGES }) {
  const texts = useTexts(runsTexts);
  const toast = useToast();
  const [isOpen, setOpen] = useState(false);
  const { tool, title, about, done } = CHANGES[action];
  const call = useToolCall(tool, runResult, ['get_run', 'list_runs']);
  const confirm = (): void =>
    call.mutate(
      { run_id: run.id },
      {
        onSuccess: () => {
          setOpen(false);
          toast(texts[done]);
        },
      },
    );
  return (
    <>
      <Button look={action === 'retry' ? 'primary' : undefined} onClick={() => setOpen(true)}>
        {texts[action]}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={texts[title]}
        description={texts[about]}
        action={texts[action]}
        isDangerous={action === 'cancel'}
        isBusy={call.isPending}
        error={call.error}
        onConfirm={confirm}
      />
    </>
  );
}
