import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { titleOf } from '../../api/message.ts';
import { useTool } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { sendMessageTexts } from '../../texts/send-message.texts.ts';
import { suppressionsTexts } from '../../texts/suppressions.texts.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VerificationNotice } from '../../ui/verification-notice.tsx';
import { MessageFilterBar } from './message-filter-bar.tsx';
import type { MessageFilters } from './message-filters.ts';
import { messageCounts, messagePage } from './message.readers.ts';
import { titleOfChannel, useChannels } from './use-channels.ts';

const ROWS = 50;

/** Shows messages by state. The filters are in the address of the page. */
export function MessagesPage() {
  const texts = useTexts(messagesTexts);
  const suppressions = useTexts(suppressionsTexts);
  const send = useTexts(sendMessageTexts);
  const filters = useSearch({ from: '/signed-in/messages' });
  const navigate = useNavigate();
  const query = usePagedTool('list_messages', { ...filters, limit: ROWS }, messagePage);
  const { status: _status, ...others } = filters;
  // The list of messages is shown even when the numbers cannot be read.
  const { data: counts } = useTool('count_messages', others, messageCounts);
  const channels = useChannels();
  const show = (search: MessageFilters): void => void navigate({ to: '/messages', search });
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <>
          <Link to="/messages/suppressions" className={buttonClass()}>
            {suppressions.title}
          </Link>
          <Link to="/messages/new" search={{}} className={buttonClass({ look: 'primary' })}>
            {send.title}
          </Link>
        </>
      }
    >
      <VerificationNotice />
      <MessageFilterBar filters={filters} counts={counts} onChange={show} />
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
                <ForeignText text={titleOf(message, texts.noSubject)} />
              </Link>
            ),
          },
          { name: texts.to, cell: ({ to }) => to },
          {
            name: texts.channel,
            cell: ({ channel, direction }) =>
              texts.by(titleOfChannel(channels, channel), direction === 'inbound'),
          },
          { name: texts.status, cell: (message) => <StatusBadge status={message.status} /> },
          { name: texts.created, cell: ({ created_at: at }) => <Time value={at} /> },
        ]}
        empty={
          Object.keys(filters).length > 0 ? (
            <EmptyState
              title={texts.noMatch}
              actions={<Button onClick={() => show({})}>{texts.showAll}</Button>}
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
