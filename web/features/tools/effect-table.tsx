import { useTexts } from '../../texts/language.tsx';
import { toolsTexts } from '../../texts/tools.texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { LongTable } from '../../ui/table.tsx';
import type { DryRun } from './tool.readers.ts';

const ROWS = 50;

/** Shows the rows that a call would change. */
export function EffectTable({ outcome }: { outcome: DryRun }) {
  const texts = useTexts(toolsTexts);
  const actions: Readonly<Record<string, string>> = texts.actions;
  if (outcome.effects.length === 0) return <p>{texts.noEffects}</p>;
  const rows = outcome.effects.map((effect, index) => ({ ...effect, key: String(index) }));
  return (
    <>
      <LongTable
        size={ROWS}
        label={texts.effects}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { name: texts.action, cell: ({ action }) => <Badge>{actions[action] ?? action}</Badge> },
          { name: texts.table, cell: ({ table }) => <code>{table}</code> },
          {
            name: texts.row,
            cell: ({ id }) => (
              <code>
                <ForeignText text={id} />
              </code>
            ),
          },
          { name: texts.columns, cell: ({ changed }) => changed?.join(', ') },
        ]}
      />
      {outcome.truncated && <p>{texts.truncated}</p>}
    </>
  );
}
