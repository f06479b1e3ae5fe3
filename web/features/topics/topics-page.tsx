import { useState } from 'react';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { topicsTexts } from '../../texts/topics.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { TopicDialog } from './topic-dialog.tsx';
import { type Topic, deletedTopic, topicList } from './topic.readers.ts';

/** Shows the topics of messages, and adds, changes and deletes them. */
export function TopicsPage() {
  const texts = useTexts(topicsTexts);
  const toast = useToast();
  const query = useTool('list_topics', {}, topicList);
  const [edited, setEdited] = useState<{ topic: Topic | undefined }>();
  const removal = useRemoval(
    'delete_topic',
    deletedTopic,
    ['list_topics'],
    texts.deleted,
    ({ name }: Topic) => ({ name }),
  );
  const topics = query.data?.topics;
  const add = (
    <Button look="primary" onClick={() => setEdited({ topic: undefined })}>
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={topics?.length ? add : undefined}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {topics?.length === 0 && (
        <EmptyState title={texts.none} actions={add}>
          {texts.noneAbout}
        </EmptyState>
      )}
      {topics && topics.length > 0 && (
        <Table
          label={texts.title}
          rows={topics}
          keyOf={({ name }) => name}
          columns={[
            { name: texts.name, cell: ({ name }) => name },
            { name: texts.topicTitle, cell: ({ title }) => <ForeignText text={title} /> },
            {
              name: texts.default,
              cell: (topic) =>
                texts.defaults[topic.default === 'opted_in' ? 'opted_in' : 'opted_out'],
            },
            {
              name: texts.confirmed,
              cell: ({ double_opt_in: isAsked }) => (isAsked ? texts.yes : texts.no),
            },
            {
              name: texts.actions,
              cell: (topic) => (
                <>
                  <Button size="small" onClick={() => setEdited({ topic })}>
                    {texts.change}
                    <span className="hidden-visually"> {topic.name}</span>
                  </Button>{' '}
                  <Button size="small" onClick={() => removal.ask(topic)}>
                    {texts.delete}
                    <span className="hidden-visually"> {topic.name}</span>
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {edited && (
        <TopicDialog
          topic={edited.topic}
          onClose={() => setEdited(undefined)}
          onDone={() => {
            setEdited(undefined);
            toast(texts.saved);
          }}
        />
      )}
      <ConfirmDialog
        {...removal.dialog}
        title={texts.deleteTitle(removal.asked?.name ?? '')}
        description={texts.deleteText}
        action={texts.delete}
      />
    </Page>
  );
}
