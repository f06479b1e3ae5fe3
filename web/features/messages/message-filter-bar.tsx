import { type FormEvent, useState } from 'react';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { statusTexts } from '../../texts/status.texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { toLocalTime } from '../../ui/local-time.ts';
import {
  MESSAGE_STATUSES,
  type MessageFilters,
  STATUS_GROUPS,
  readMessageFilters,
} from './message-filters.ts';
import type { MessageCounts } from './message.readers.ts';
import styles from './messages.module.css';
import { useChannels } from './use-channels.ts';

interface BarProps {
  filters: MessageFilters;
  /** The number of messages of each state, when it is known. */
  counts: MessageCounts | undefined;
  onChange: (filters: MessageFilters) => void;
}

/**
 * Shows the filters of the list of messages. A choice applies immediately. A typed text applies when the person presses
 * the button.
 */
export function MessageFilterBar({ filters, counts, onChange }: BarProps) {
  const texts = useTexts(messagesTexts);
  const states = useTexts(statusTexts);
  const formats = useFormats();
  const channels = useChannels(filters.channel === undefined ? [] : [filters.channel]);
  const change = (part: Readonly<Record<string, unknown>>): void =>
    onChange(readMessageFilters({ ...filters, ...part }));
  const labelOf = (status: (typeof MESSAGE_STATUSES)[number]): string => {
    const count = counts && (counts.counts.find((each) => each.status === status)?.count ?? 0);
    return count === undefined ? states[status] : `${states[status]} (${formats.number(count)})`;
  };
  return (
    <div className={styles.filters}>
      <div className={styles.choices}>
        <SelectField
          label={texts.status}
          value={filters.status ?? ''}
          options={[
            { value: '', label: texts.anyStatus },
            ...STATUS_GROUPS.map((value) => ({ value, label: texts.groups[value] })),
            ...MESSAGE_STATUSES.map((value) => ({ value, label: labelOf(value) })),
          ]}
          description={
            counts && !counts.is_complete && texts.counted(formats.number(counts.counted))
          }
          onChange={(status) => change({ status })}
        />
        <SelectField
          label={texts.channel}
          value={filters.channel ?? ''}
          options={[{ value: '', label: texts.anyChannel }, ...channels]}
          onChange={(channel) => change({ channel })}
        />
      </div>
      <MoreFilters key={JSON.stringify(filters)} filters={filters} onChange={change} />
    </div>
  );
}

function MoreFilters({
  filters,
  onChange,
}: {
  filters: MessageFilters;
  onChange: (part: Readonly<Record<string, unknown>>) => void;
}) {
  const texts = useTexts(messagesTexts);
  const [contact, setContact] = useState(filters.contact_id ?? '');
  const [after, setAfter] = useState(toLocalTime(filters.created_after));
  const [before, setBefore] = useState(toLocalTime(filters.created_before));
  const isUsed = [contact, after, before].some((value) => value !== '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The fields contain local times. These times have no time zone, and mean the time zone of the person.
    onChange({ contact_id: contact.trim(), created_after: after, created_before: before });
  };
  return (
    <details open={isUsed || undefined}>
      <summary className={styles.summary}>{texts.more}</summary>
      <form className={styles.choices} onSubmit={submit}>
        <TextField label={texts.contactId} value={contact} onChange={setContact} maxLength={64} />
        <TextField type="datetime-local" label={texts.after} value={after} onChange={setAfter} />
        <TextField type="datetime-local" label={texts.before} value={before} onChange={setBefore} />
        <div>
          <Button type="submit">{texts.apply}</Button>
        </div>
      </form>
    </details>
  );
}
