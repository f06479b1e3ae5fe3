import { useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { VersionDiff } from './version-diff.tsx';
import {
  type VersionSummary,
  type Workflow,
  savedWorkflow,
  versionPage,
} from './workflow.readers.ts';
import styles from './workflows.module.css';

const ROWS = 20;

/** Shows the versions of a workflow. Each version can be compared with the newest version, and can be restored. */
export function VersionsTab({ workflow }: { workflow: Workflow }) {
  const all = useTexts(workflowsTexts);
  const texts = all.versions;
  const given = { workflow_id: workflow.id, limit: ROWS };
  const query = usePagedTool('list_workflow_versions', given, versionPage);
  const [compared, setCompared] = useState<number>();
  const [restoring, setRestoring] = useState<number>();
  const people: Readonly<Record<string, string>> = texts.by;
  const by = ({ saved_by: actor }: VersionSummary): string =>
    actor ? (people[actor.kind] ?? actor.kind) : '';
  return (
    <>
      <PagedTable
        label={all.tabs.versions}
        query={query}
        rows={query.data?.versions}
        keyOf={({ version }) => String(version)}
        columns={[
          {
            name: all.version,
            cell: (each) => (
              <>
                {each.version} {each.current && <Badge tone="good">{texts.current}</Badge>}
                {each.restored_from !== null && ` ${texts.restoredFrom(each.restored_from)}`}
              </>
            ),
          },
          { name: texts.savedAt, cell: ({ saved_at: at }) => <Time value={at} /> },
          { name: texts.savedBy, cell: by },
          {
            name: texts.compare,
            cell: ({ version, current }) =>
              !current && (
                <span className={styles.buttons}>
                  <Button
                    size="small"
                    aria-label={texts.compareOf(version)}
                    onClick={() => setCompared(version)}
                  >
                    {texts.compare}
                  </Button>
                  <Button
                    size="small"
                    aria-label={texts.restoreOf(version)}
                    onClick={() => setRestoring(version)}
                  >
                    {texts.restore}
                  </Button>
                </span>
              ),
          },
        ]}
        empty={null}
      />
      {compared !== undefined && compared !== workflow.version && (
        <VersionDiff workflowId={workflow.id} from={compared} to={workflow.version} />
      )}
      <Restore workflow={workflow} version={restoring} onClose={() => setRestoring(undefined)} />
    </>
  );
}

interface RestoreProps {
  workflow: Workflow;
  version: number | undefined;
  onClose: () => void;
}

function Restore({ workflow, version = 0, onClose }: RestoreProps) {
  const texts = useTexts(workflowsTexts).versions;
  const toast = useToast();
  const [secret, setSecret] = useState<string>();
  const changed = ['get_workflow', 'list_workflows', 'list_workflow_versions'];
  const call = useToolCall('restore_workflow_version', savedWorkflow, changed);
  const restore = (): void =>
    call.mutate(
      { workflow_id: workflow.id, version, expected_version: workflow.version },
      {
        onSuccess: (saved) => {
          onClose();
          toast(texts.restored);
          if (saved.secret !== null) setSecret(saved.secret);
        },
      },
    );
  return (
    <>
      <ConfirmDialog
        isOpen={version > 0}
        onClose={onClose}
        title={texts.restoreTitle(version)}
        description={texts.restoreText}
        action={texts.restore}
        isBusy={call.isPending}
        error={call.error}
        onConfirm={restore}
      />
      {secret !== undefined && (
        <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
