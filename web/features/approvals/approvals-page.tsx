import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTool } from '../../api/tools.ts';
import { approvalsTexts } from '../../texts/approvals.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { confirmationList } from './approval.readers.ts';
import { ApprovalCard } from './approval-card.tsx';
import styles from './approvals.module.css';

/** The service returns at most this number of calls, the newest first. */
const MOST = 50;

/** Shows the calls of agents that wait for a person. */
export function ApprovalsPage() {
  const texts = useTexts(approvalsTexts);
  const { state = 'pending' } = useSearch({ from: '/signed-in/approvals' });
  const navigate = useNavigate();
  const query = useTool('list_confirmations', { state }, confirmationList);
  const rows = query.data?.confirmations;
  return (
    <Page title={texts.title} about={texts.about}>
      <div className={styles.filter}>
        <SelectField
          label={texts.show}
          value={state}
          options={[
            { value: 'pending', label: texts.pending },
            { value: 'all', label: texts.all },
          ]}
          onChange={(value) =>
            void navigate({ to: '/approvals', search: value === 'all' ? { state: 'all' } : {} })
          }
        />
      </div>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={4} />}
      {rows?.length === 0 && <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      <div className={styles.list}>
        {rows?.map((confirmation) => (
          <ApprovalCard key={confirmation.id} confirmation={confirmation} />
        ))}
      </div>
      {rows?.length === MOST && <p>{texts.most(MOST)}</p>}
    </Page>
  );
}
