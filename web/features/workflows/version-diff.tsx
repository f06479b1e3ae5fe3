import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { type Change, versionsDiff } from './workflow.readers.ts';
import styles from './workflows.module.css';

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
  const words: Readonly<Record<string, string>> = texts.changes;
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={3} />;
  const { changes, steps, is_whole: isWhole } = query.data;
  return (
    <Section title={texts.diffTitle(from, to)} about={isWhole ? undefined : texts.onlySteps}>
      {changes.length === 0 && steps.length === 0 && <p>{texts.same}</p>}
      <Changes changes={changes} />
      {steps.map((step) => (
        <div key={`${step.id} ${step.from} ${step.to}`} className={styles.change}>
          <h3>
            <code>{step.id}</code> {words[step.change] ?? step.change}
          </h3>
          <Changes changes={step.changes} />
        </div>
      ))}
    </Section>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  const texts = useTexts(workflowsTexts).versions;
  return changes.map(({ path, before, after }) => (
    <div key={path} className={styles.change}>
      <code>{path}</code>
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
    </div>
  ));
}
