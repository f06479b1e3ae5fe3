import type { Message } from '../../api/page-readers.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './messages.module.css';

/** Shows the states of a message with their times, and the reason of the present one. */
export function MessageTimeline({ message }: { message: Message }) {
  const texts = useTexts(messagesTexts);
  const events = [
    [texts.wasCreated, message.created_at],
    [texts.scheduledFor, message.scheduled_at],
    [texts.wasSent, message.sent_at],
  ] as const;
  return (
    <ol className={styles.timeline}>
      {events.map(
        ([name, at]) =>
          at && (
            <li key={name}>
              <span>{name}</span>
              <Time value={at} isExact />
            </li>
          ),
      )}
      <li>
        <span>{texts.now}</span>
        <StatusBadge status={message.status} />
        <Time value={message.updated_at} isExact />
        {message.status_reason && <p className={styles.reason}>{message.status_reason}</p>}
      </li>
    </ol>
  );
}
