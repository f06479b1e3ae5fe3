import type { Message } from '../../api/message.ts';
import { explanation } from '../../api/explanation.ts';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Section } from '../../ui/page.tsx';
import { SendExplanation } from '../../ui/send-explanation.tsx';
import { Skeleton } from '../../ui/state.tsx';

/** Shows why a message was not sent, or what it waits for, with every rule that was checked. */
export function MessageExplanation({ message }: { message: Message }) {
  const texts = useTexts(sendingTexts);
  const query = useTool('explain_send', { message_id: message.id }, explanation);
  const outcomes: Readonly<Record<string, string>> = texts.whyTitles;
  // A bounced message has the status `failed`, although it was sent.
  const isReturned = message.status === 'failed' && message.sent_at !== null;
  return (
    <Section title={texts.why}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={2} />}
      {query.data && (
        <SendExplanation
          title={
            isReturned ? texts.notArrived : (outcomes[query.data.outcome] ?? query.data.outcome)
          }
          explanation={query.data}
        />
      )}
    </Section>
  );
}
