import type { Message } from '../../api/page-readers.ts';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { explanation } from './sending.readers.ts';

const MOST_REASON = 1000;

/** Shows why a message was not sent, or what it waits for, with every rule that was checked. */
export function MessageExplanation({ message }: { message: Message }) {
  const texts = useTexts(sendingTexts);
  const query = useTool('explain_send', { message_id: message.id }, explanation);
  const outcomes: Readonly<Record<string, string>> = texts.whyTitles;
  const rules: Readonly<Record<string, string>> = texts.rules;
  // A bounced message has the state failed, although it was sent.
  const isReturned = message.status === 'failed' && message.sent_at !== null;
  return (
    <Section title={texts.why}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={2} />}
      {query.data && (
        <>
          <p>
            <strong>
              {isReturned ? texts.notArrived : (outcomes[query.data.outcome] ?? query.data.outcome)}
            </strong>
            {query.data.until && (
              <>
                {' '}
                {texts.waitsUntil} <Time value={query.data.until} isExact />
              </>
            )}
          </p>
          {query.data.reason && (
            <p>
              <ForeignText text={query.data.reason} most={MOST_REASON} />
            </p>
          )}
          {query.data.checks.length > 0 && (
            <Table
              label={texts.checks}
              columns={[
                { name: texts.rule, cell: ({ rule }) => rules[rule] ?? rule },
                {
                  name: texts.result,
                  cell: ({ passed }) => (
                    <Badge tone={passed ? 'good' : 'warn'}>
                      {passed ? texts.passed : texts.failed}
                    </Badge>
                  ),
                },
                { name: texts.until, cell: ({ until }) => until && <Time value={until} isExact /> },
                {
                  name: texts.reason,
                  cell: ({ reason }) => reason && <ForeignText text={reason} most={MOST_REASON} />,
                },
              ]}
              rows={query.data.checks}
              keyOf={({ rule, reason }) => `${rule} ${reason}`}
            />
          )}
        </>
      )}
    </Section>
  );
}
