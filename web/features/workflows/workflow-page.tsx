import { type ReactNode, useState } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { editorTexts } from '../../texts/editor.texts.ts';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useToast } from '../../ui/toast.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { EditorTab } from './editor-tab.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { TestTab } from './test-tab.tsx';
import { TriggerTab } from './trigger-tab.tsx';
import { useEditor } from './use-editor.ts';
import { VersionsTab } from './versions-tab.tsx';
import { WorkflowActions } from './workflow-actions.tsx';
import type { WorkflowTab } from './workflow-tabs.ts';
import { type Workflow, workflowResult } from './workflow.readers.ts';
import { ActiveBadge } from './workflows-page.tsx';
import styles from './workflows.module.css';

/**
 * Shows one workflow: its steps, tests, versions, trigger and deliveries. The URL of the page has the name of the open
 * tab.
 */
export function WorkflowPage() {
  const texts = useTexts(workflowsTexts);
  const { workflowId } = useParams({ from: '/signed-in/workflows/$workflowId' });
  const query = useTool('get_workflow', { workflow_id: workflowId }, workflowResult);
  const back = (
    <Link to="/workflows" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  const workflow = query.data?.workflow;
  if (workflow?.id !== workflowId) {
    return <UnloadedPage key={workflowId} title={texts.workflow} back={back} query={query} />;
  }
  return (
    <Page
      title={workflow.name}
      about={
        <span className={styles.facts}>
          <ActiveBadge isActive={workflow.active} />
          <span>
            {texts.version} {workflow.version}
          </span>
        </span>
      }
      back={back}
      actions={
        <>
          <Link
            to="/runs"
            search={{ workflow_id: workflow.id }}
            className={buttonClass({ look: 'plain' })}
          >
            {texts.runs}
          </Link>
          <WorkflowActions workflow={workflow} />
        </>
      }
    >
      <Parts key={workflow.id} workflow={workflow} />
    </Page>
  );
}

function Parts({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(workflowsTexts);
  const { tab = 'edit' } = useSearch({ from: '/signed-in/workflows/$workflowId' });
  const navigate = useNavigate();
  const { saved } = useTexts(editorTexts);
  const toast = useToast();
  const [secret, setSecret] = useState<string>();
  // The state of the editor is here, because the tabs are unmounted when the person changes to another tab.
  const editor = useEditor(workflow, (made) => {
    toast(saved);
    if (made !== null) setSecret(made);
  });
  const choose = (value: WorkflowTab): void =>
    void navigate({
      to: '/workflows/$workflowId',
      params: { workflowId: workflow.id },
      search: value === 'edit' ? {} : { tab: value },
    });
  const part = (value: WorkflowTab, content: ReactNode) => ({
    value,
    label: texts.tabs[value],
    content: <div className={styles.part}>{content}</div>,
  });
  return (
    <>
      <Tabs
        label={texts.views}
        value={tab}
        onChange={choose}
        tabs={[
          part('edit', <EditorTab workflow={workflow} editor={editor} />),
          part('test', <TestTab workflow={workflow} />),
          part('versions', <VersionsTab workflow={workflow} />),
          part('trigger', <TriggerTab workflow={workflow} />),
          part('deliveries', <DeliveriesTab workflow={workflow} />),
        ]}
      />
      <LeaveDialog isDirty={editor.isDirty} />
      {secret !== undefined && (
        <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
