import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { statusTexts } from '../../texts/status.texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VerificationNotice } from '../../ui/verification-notice.tsx';
import { MESSAGE_STATUSES, messagePage, readStatus } from './message.readers.ts';
import styles from './messages.module.css';

const ROWS = 50;

/** Shows messages by state, which is in the address of the page. */
export function MessagesPage() {
  const texts = useTexts(messagesTexts);
  const states = useTexts(statusTexts);
  const { status } = useSearch({ from: '/signed-in/messages' });
  const navigate = useNavigate();
  const query = usePagedTool('list_messages', { status, limit: ROWS }, messagePage);
  const choose = (value: string): void => {
    const chosen = readStatus(value);
    void navigate({ to: '/messages', search: chosen ? { status: chosen } : {} });
  };
  return (
    <Page title={texts.title} about={texts.about}>
      <VerificationNotice />
      <div className={styles.filter}>
        <SelectField
          label={texts.status}
          value={status ?? ''}
          options={[
            { value: '', label: texts.anyStatus },
            ...MESSAGE_STATUSES.map((value) => ({ value, label: states[value] })),
          ]}
          onChange={choose}
        />
      </div>
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.messages}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.subject,
            cell: (message) => (
              <Link to="/messages/$messageId" params={{ messageId: message.id }}>
                {message.subject ?? texts.noSubject}
              </Link>
            ),
          },
          { name: texts.to, cell: ({ to }) => to },
          { name: texts.status, cell: (message) => <StatusBadge status={message.status} /> },
          { name: texts.created, cell: ({ created_at: at }) => <Time value={at} /> },
        ]}
        empty={
          status ? (
            <EmptyState
              title={texts.noMatch}
              actions={<Button onClick={() => choose('')}>{texts.showAll}</Button>}
            >
              {texts.noMatchAbout}
            </EmptyState>
          ) : (
            <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>
          )
        }
      />
    </Page>
  );
}
