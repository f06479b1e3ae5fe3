import { isObject } from '../../api/reader.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { topicsTexts } from '../../texts/topics.texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './contacts.module.css';

interface Decision {
  readonly channel: string;
  readonly status: string;
  readonly source: string | undefined;
  readonly at: string | undefined;
}

/** Returns the decisions of a contact about channels. */
export function decisionsOf(consent: Readonly<Record<string, unknown>>): Decision[] {
  return Object.entries(consent).flatMap(([channel, state]) => {
    if (!isObject(state) || typeof state.status !== 'string') return [];
    const { status, source, updated_at: at } = state;
    return [{ channel, status, source: textOf(source), at: textOf(at) }];
  });
}

/** Shows each decision with its source and time. A code that this build does not know is shown unchanged. */
export function ConsentFacts({ decisions }: { decisions: readonly Decision[] }) {
  const channels: Readonly<Record<string, string>> = useTexts(messagesTexts).channels;
  const states: Readonly<Record<string, string>> = useTexts(contactsTexts).filters.consent;
  const { source: decidedBy, sources } = useTexts(topicsTexts).contact;
  const words: Readonly<Record<string, string>> = sources;
  return (
    <ul className={styles.decisions}>
      {decisions.map(({ channel, status, source, at }) => (
        <li key={channel} className={styles.row}>
          <Badge tone={status === 'granted' ? 'good' : 'bad'}>
            {`${channels[channel] ?? channel}: ${states[status] ?? status}`}
          </Badge>
          <span className={styles.soft}>
            {source !== undefined && (
              <ForeignText text={`${decidedBy}: ${words[source] ?? source}`} />
            )}
            {source !== undefined && at !== undefined && ', '}
            {at !== undefined && <Time value={at} />}
          </span>
        </li>
      ))}
    </ul>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
