import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { newKey } from './new-key.ts';
import type { RunFilters } from './run-filters.ts';
import { bulkPreview, bulkResult } from './run.readers.ts';

export type BulkAction = 'cancel' | 'retry' | 'replay';

const MOST = 100;
const TOOLS = {
  cancel: 'bulk_cancel_runs',
  retry: 'bulk_retry_runs',
  replay: 'bulk_replay_runs',
} as const;

interface BulkProps {
  action: BulkAction;
  filters: RunFilters;
  onClose: () => void;
}

/** Shows how many runs an action would change, and then changes them in parts. */
export function BulkDialog({ action, filters, onClose }: BulkProps) {
  const texts = useTexts(runsTexts).bulk;
  const ui = useTexts(uiTexts);
  const tool = TOOLS[action];
  const [cursor, setCursor] = useState<string>();
  // The idempotency key of one part: a repeated click or a retry after a lost answer changes each run only once.
  const [key, setKey] = useState(newKey);
  const given = { ...filters, limit: MOST, cursor };
  const call = useToolCall(tool, bulkResult, ['list_runs', 'get_run']);
  const preview = useTool(tool, { ...given, dry_run: true }, bulkPreview, !call.data);
  const run = (from: string | undefined, idempotencyKey: string): void =>
    call.mutate({ ...given, cursor: from, idempotency_key: idempotencyKey });
  const { data } = call;
  const goOn = (): void => {
    const next = data?.next_cursor;
    if (!next) return;
    const nextKey = newKey();
    setCursor(next);
    setKey(nextKey);
    run(next, nextKey);
  };
  const count = preview.data?.result.done;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts[action]}
      description={`${texts[`${action}Text`]} ${texts.limit(MOST)}`}
      actions={
        <>
          <Button onClick={onClose}>{data ? ui.close : ui.cancel}</Button>
          {!data && (
            <Button
              look={action === 'cancel' ? 'danger' : 'primary'}
              isBusy={call.isPending || preview.isPending || count === 0}
              onClick={() => run(cursor, key)}
            >
              {count ? texts.act[action](count) : texts[action]}
            </Button>
          )}
          {data?.next_cursor && (
            <Button look="primary" isBusy={call.isPending} onClick={goOn}>
              {texts.next(MOST)}
            </Button>
          )}
        </>
      }
    >
      <div role="status">
        {data && texts.done(data.done)}
        {!data && count !== undefined && texts.preview(count)}
        {!data && preview.isPending && texts.counting}
        {data?.next_cursor && ` ${texts.more}`}
      </div>
      {data && data.refused.length > 0 && (
        <div>
          <p>{texts.refused(data.refused.length)}</p>
          <ul>
            {data.refused.map((each) => (
              <li key={each.run_id}>
                <Link to="/runs/$runId" params={{ runId: each.run_id }}>
                  {each.run_id}
                </Link>{' '}
                <ForeignText text={each.message} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {(call.error ?? preview.error) && <ErrorPanel error={call.error ?? preview.error} />}
    </Dialog>
  );
}
