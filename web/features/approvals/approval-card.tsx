import { useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { approvalsTexts } from '../../texts/approvals.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Facts } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Confirmation, confirmationResult } from './approval.readers.ts';
import styles from './approvals.module.css';

const TONES: Readonly<Record<string, Tone>> = {
  pending: 'warn',
  approved: 'busy',
  used: 'good',
  declined: 'bad',
  failed: 'bad',
};
const LIST = ['list_confirmations'];

/** Shows one call of an agent with everything that a person needs to answer it. */
export function ApprovalCard({ confirmation }: { confirmation: Confirmation }) {
  const texts = useTexts(approvalsTexts);
  const states: Readonly<Record<string, string>> = texts.states;
  const toast = useToast();
  const approve = useToolCall('approve_confirmation', confirmationResult, LIST);
  const decline = useToolCall('decline_confirmation', confirmationResult, LIST);
  const [isAsking, setAsking] = useState(false);
  const { id, tool, state } = confirmation;
  const given = { confirmation_id: id };
  return (
    <article className={styles.card} aria-labelledby={`title-${id}`}>
      <header className={styles.head}>
        <h2 id={`title-${id}`}>
          <code>{tool}</code>
        </h2>
        <Badge tone={TONES[state] ?? 'calm'}>{states[state] ?? state}</Badge>
      </header>
      <TextViewer title={`${texts.arguments}: ${tool}`} value={confirmation.arguments} />
      <Facts
        facts={[
          [texts.key, <code key="key">{confirmation.api_key_id}</code>],
          [texts.asked, <Time key="asked" value={confirmation.created_at} />],
          [texts.expires, <Time key="expires" value={confirmation.expires_at} />],
          [
            texts.answeredBy,
            confirmation.answered_by && <code key="by">{confirmation.answered_by}</code>,
          ],
        ]}
      />
      {decline.error && <ErrorPanel error={decline.error} />}
      {(state === 'pending' || state === 'approved') && (
        <div className={styles.actions}>
          {state === 'pending' && (
            <Button look="primary" onClick={() => setAsking(true)}>
              {texts.approve}
            </Button>
          )}
          <Button
            isBusy={decline.isPending}
            onClick={() => decline.mutate(given, { onSuccess: () => toast(texts.declined) })}
          >
            {state === 'pending' ? texts.decline : texts.withdraw}
          </Button>
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => {
          setAsking(false);
          approve.reset();
        }}
        title={texts.approveTitle(tool)}
        description={texts.approveText}
        action={texts.approve}
        isBusy={approve.isPending}
        error={approve.error}
        onConfirm={() =>
          approve.mutate(given, {
            onSuccess: () => {
              setAsking(false);
              toast(texts.approved);
            },
          })
        }
      />
    </article>
  );
}
