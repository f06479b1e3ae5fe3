import { useState } from 'react';
import { channelChoices, topicChoices } from '../../api/choices.ts';
import { explanation } from '../../api/explanation.ts';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { SendExplanation } from '../../ui/send-explanation.tsx';
import { Skeleton } from '../../ui/state.tsx';
import styles from './contacts.module.css';

/** Shows whether a message would be sent to a contact now, by a channel and with a topic that the person selects. */
export function ContactSending({ contactId }: { contactId: string }) {
  const texts = useTexts(sendingTexts);
  const [channel, setChannel] = useState('email');
  const [topic, setTopic] = useState('');
  const channels = useTool('list_channels', {}, channelChoices).data?.channels ?? [];
  const topics = useTool('list_topics', {}, topicChoices).data?.topics ?? [];
  const query = useTool(
    'explain_send',
    { contact_id: contactId, channel, ...(topic && { topic }) },
    explanation,
  );
  const outcomes: Readonly<Record<string, string>> = texts.wouldTitles;
  return (
    <Section title={texts.would}>
      <div className={styles.choices}>
        <SelectField
          label={texts.channel}
          options={channels.map(({ name, title }) => ({ value: name, label: title }))}
          value={channel}
          onChange={setChannel}
        />
        {topics.length > 0 && (
          <SelectField
            label={texts.topic}
            options={[
              { value: '', label: texts.noTopic },
              ...topics.map(({ name, title }) => ({ value: name, label: title })),
            ]}
            value={topic}
            onChange={setTopic}
          />
        )}
      </div>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={2} />}
      {query.data && (
        <SendExplanation
          title={outcomes[query.data.outcome] ?? query.data.outcome}
          explanation={query.data}
        />
      )}
    </Section>
  );
}
