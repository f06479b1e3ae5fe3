import type { Message } from '../../api/message.ts';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { type MessageEvent, messageEvents } from './message.readers.ts';
import styles from './messages.module.css';

const MOST_REASON = 1000;

/** Shows every state of a message with its time and reason. */
export function MessageTimeline({ message }: { message: Message }) {
  const query = useTool('list_message_events', { message_id: message.id }, messageEvents);
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={2} />;
  return (
    <ol className={styles.timeline}>
      {eventsOf(message, query.data.events).map((event, index) => (
        <Entry key={index} event={event} scheduledAt={message.scheduled_at} />
      ))}
    </ol>
  );
}

function Entry({ event, scheduledAt }: { event: MessageEvent; scheduledAt: string | null }) {
  const texts = useTexts(messagesTexts);
  const { status, reason, attempts, at } = event;
  return (
    <li>
      <StatusBadge status={status} />
      <Time value={at} isExact />
      {status === 'sending' && <span>{texts.attempt(attempts)}</span>}
      {status === 'scheduled' && scheduledAt && (
        <span>
          {texts.scheduledFor} <Time value={scheduledAt} isExact />
        </span>
      )}
      {/* While an attempt runs, the reason is still that of the previous attempt, so it is not shown. */}
      {reason && status !== 'sending' && (
        <p className={styles.reason}>
          <ForeignText text={reason} most={MOST_REASON} />
        </p>
      )}
    </li>
  );
}

/**
 * Returns the events of a message. If an early version of Switchboard stored the message without events, returns only
 * its current state.
 */
function eventsOf(message: Message, events: readonly MessageEvent[]): readonly MessageEvent[] {
  if (events.length > 0) return events;
  const { status, status_reason: reason, updated_at: at } = message;
  return [{ status, reason, attempts: 0, at }];
}
