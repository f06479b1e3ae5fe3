import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import {
  TEMPLATE_TOOLS,
  type Template,
  templateResult,
  versionPage,
  versionsDiff,
} from './template.readers.ts';
import styles from './templates.module.css';

const ROWS = 20;
/** The largest number of changes that are shown. A draft can differ from a version in many texts. */
const MOST_CHANGES = 50;

interface HistoryProps {
  template: Template;
  onRestored: () => void;
}

/** Lists the published versions. A version can be compared with the draft, and restored as the draft. */
export function TemplateHistory({ template, onRestored }: HistoryProps) {
  const all = useTexts(templatesTexts);
  const texts = all.history;
  const toast = useToast();
  const given = { template_id: template.id, limit: ROWS };
  const query = usePagedTool('list_template_versions', given, versionPage);
  const [compared, setCompared] = useState<number>();
  const [asked, setAsked] = useState<number>();
  const restore = useToolCall('restore_template_version', templateResult, TEMPLATE_TOOLS);
  const people: Readonly<Record<string, string>> = texts.by;
  const close = (): void => {
    setAsked(undefined);
    restore.reset();
  };
  return (
    <>
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.versions}
        keyOf={({ version }) => String(version)}
        columns={[
          { name: all.version, cell: ({ version }) => String(version) },
          { name: texts.publishedAt, cell: ({ published_at: at }) => <Time value={at} /> },
          {
            name: texts.publishedBy,
            cell: ({ published_by: { kind } }) => people[kind] ?? kind,
          },
          { name: texts.warnings, cell: ({ warnings }) => String(warnings.length) },
          {
            name: texts.actions,
            cell: ({ version }) => (
              <span className={styles.row}>
                <Button size="small" onClick={() => setCompared(version)}>
                  {texts.compare(version)}
                </Button>
                <Button size="small" onClick={() => setAsked(version)}>
                  {texts.restore(version)}
                </Button>
              </span>
            ),
          },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
      {compared !== undefined && <Diff template={template} from={compared} />}
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={close}
        title={texts.restoreTitle(asked ?? 0)}
        description={texts.restoreText}
        action={texts.restore(asked ?? 0)}
        isBusy={restore.isPending}
        error={restore.error}
        onConfirm={() =>
          restore.mutate(
            {
              template_id: template.id,
              version: asked,
              expected_version: template.draft_version,
            },
            {
              onSuccess: () => {
                close();
                toast(texts.restored);
                onRestored();
              },
            },
          )
        }
      />
    </>
  );
}

function Diff({ template, from }: { template: Template; from: number }) {
  const { history: texts } = useTexts(templatesTexts);
  const query = useTool('diff_template_versions', { template_id: template.id, from }, versionsDiff);
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={3} />;
  const { changes } = query.data;
  return (
    <Section title={texts.diffTitle(from)}>
      {changes.length === 0 && <p>{texts.same}</p>}
      {changes.slice(0, MOST_CHANGES).map(({ path, before, after }) => (
        <div key={path} className={styles.change}>
          <code>
            <ForeignText text={path} />
          </code>
          <TextViewer title={`${texts.before}: ${path}`} value={before ?? texts.absent} />
          <TextViewer title={`${texts.after}: ${path}`} value={after ?? texts.absent} />
        </div>
      ))}
    </Section>
  );
}
