import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { PagerBar } from '../../ui/pager.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { type Change, type Diff, versionsDiff } from './workflow.readers.ts';
import styles from './workflows.module.css';

/** The number of rows that are shown at first. A workflow has up to 500 steps, and each may have several changes. */
const ROWS = 20;

interface DiffProps {
  workflowId: string;
  from: number;
  to: number;
}

/** Shows the differences between two versions, with the values before and after. */
export function VersionDiff({ workflowId, from, to }: DiffProps) {
  const texts = useTexts(workflowsTexts).versions;
  const given = { workflow_id: workflowId, from, to };
  const query = useTool('diff_workflow_versions', given, versionsDiff);
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={3} />;
  const { changes, steps, is_whole: isWhole } = query.data;
  return (
    <Section title={texts.diffTitle(from, to)} about={isWhole ? undefined : texts.onlySteps}>
      {changes.length === 0 && steps.length === 0 && <p>{texts.same}</p>}
      <Entries key={`${from} ${to}`} entries={entriesOf(query.data)} />
    </Section>
  );
}

/** Shows a change with its step. A step that was added or removed has no list of changes. */
interface Entry {
  key: string;
  step?: Diff['steps'][number];
  change?: Change;
}

function entriesOf({ changes, steps }: Diff): Entry[] {
  const inSteps = steps.flatMap((step): Entry[] => {
    const key = `${step.id} ${step.from} ${step.to}`;
    if (step.changes.length === 0) return [{ key, step }];
    return step.changes.map((change) => ({ key: `${key} ${change.path}`, step, change }));
  });
  return [...changes.map((change) => ({ key: change.path, change })), ...inSteps];
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  const texts = useTexts(workflowsTexts).versions;
  const words: Readonly<Record<string, string>> = texts.changes;
  const { rows, pager } = usePages(entries, ROWS);
  return (
    <>
      {rows.map(({ key, step, change }, index) => (
        <div key={key} className={styles.change}>
          {step && step !== rows[index - 1]?.step && (
            <h3>
              <code>{step.id}</code> {words[step.change] ?? step.change}
            </h3>
          )}
          {change && <Sides change={change} />}
        </div>
      ))}
      {pager && <PagerBar pager={pager} />}
    </>
  );
}

function Sides({ change: { path, before, after } }: { change: Change }) {
  const texts = useTexts(workflowsTexts).versions;
  return (
    <>
      <code>
        <ForeignText text={path} />
      </code>
      <div className={styles.sides}>
        <TextViewer
          title={`${texts.before}: ${path}`}
          value={before === undefined ? texts.absent : before}
        />
        <TextViewer
          title={`${texts.after}: ${path}`}
          value={after === undefined ? texts.absent : after}
        />
      </div>
    </>
  );
}
