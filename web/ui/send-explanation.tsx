import type { Explanation } from '../api/explanation.ts';
import { useTexts } from '../texts/language.tsx';
import { sendingTexts } from '../texts/sending.texts.ts';
import { Badge } from './badge.tsx';
import { Disclosure } from './disclosure.tsx';
import { ForeignText } from './foreign-text.tsx';
import { Table } from './table.tsx';
import { Time } from './time.tsx';

const MOST_REASON = 1000;

/** Shows whether a message is sent, and every rule that was checked. */
export function SendExplanation({
  title,
  explanation: { until, reason, checks },
}: {
  title: string;
  explanation: Explanation;
}) {
  const texts = useTexts(sendingTexts);
  return (
    <>
      <p>
        <strong>{title}</strong>
        {until && (
          <>
            {' '}
            {texts.waitsUntil} <Time value={until} isExact />
          </>
        )}
      </p>
      {reason && (
        <p>
          <ForeignText text={reason} most={MOST_REASON} />
        </p>
      )}
      {checks.some(({ passed }) => !passed) ? (
        <Checks checks={checks} />
      ) : (
        checks.length > 0 && (
          <Disclosure summary={texts.checks}>
            <Checks checks={checks} />
          </Disclosure>
        )
      )}
    </>
  );
}

function Checks({ checks }: Pick<Explanation, 'checks'>) {
  const texts = useTexts(sendingTexts);
  const rules: Readonly<Record<string, string>> = texts.rules;
  return (
    <Table
      label={texts.checks}
      columns={[
        { name: texts.rule, cell: ({ rule }) => rules[rule] ?? rule },
        {
          name: texts.result,
          cell: ({ passed }) => (
            <Badge tone={passed ? 'good' : 'warn'}>{passed ? texts.passed : texts.failed}</Badge>
          ),
        },
        { name: texts.until, cell: ({ until }) => until && <Time value={until} isExact /> },
        {
          name: texts.reason,
          cell: ({ reason }) => reason && <ForeignText text={reason} most={MOST_REASON} />,
        },
      ]}
      rows={checks}
      keyOf={({ rule, reason }) => `${rule} ${reason}`}
    />
  );
}
