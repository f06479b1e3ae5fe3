import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { topicsTexts } from '../../texts/topics.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Subscription, subscriptionList, subscriptionResult } from './permission.readers.ts';

const CHANGED = ['list_topic_subscriptions', 'list_consent_changes', 'list_messages'];

/** Shows which topics a contact gets. A person can change these decisions. Shows nothing when there are no topics. */
export function ContactTopics({ contactId }: { contactId: string }) {
  const { contact: texts } = useTexts(topicsTexts);
  const toast = useToast();
  const query = useTool('list_topic_subscriptions', { contact_id: contactId }, subscriptionList);
  const call = useToolCall('set_topic_subscription', subscriptionResult, CHANGED);
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data?.subscriptions ?? [];
  if (rows.length === 0) return null;
  const states: Readonly<Record<string, string>> = texts.states;
  const sources: Readonly<Record<string, string>> = texts.sources;
  const decide = ({ topic, state }: Subscription): void =>
    call.mutate(
      { contact_id: contactId, topic, subscribed: state === 'unsubscribed' },
      {
        onSuccess: (result) => toast(result.state === 'pending' ? texts.asked : texts.changed),
      },
    );
  return (
    <Section title={texts.title}>
      {call.error && <ErrorPanel error={call.error} />}
      <Table
        label={texts.title}
        rows={rows}
        keyOf={({ topic }) => topic}
        columns={[
          { name: texts.topic, cell: ({ title }) => <ForeignText text={title} /> },
          { name: texts.state, cell: ({ state }) => states[state] ?? state },
          {
            name: texts.source,
            cell: ({ source }) => (source === null ? texts.byDefault : (sources[source] ?? source)),
          },
          { name: texts.since, cell: ({ changed_at: at }) => at && <Time value={at} /> },
          {
            name: texts.actions,
            cell: (row) => (
              <Button size="small" isBusy={call.isPending} onClick={() => decide(row)}>
                {row.state === 'unsubscribed' ? texts.subscribe : texts.unsubscribe}
                <span className="hidden-visually"> {row.title}</span>
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
