import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Workflow, deletedWorkflow, workflowResult } from './workflow.readers.ts';

const CHANGED = ['get_workflow', 'list_workflows'];

/** Activates, deactivates and deletes a workflow. */
export function WorkflowActions({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(workflowsTexts);
  const toast = useToast();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const given = { workflow_id: workflow.id };
  const tool = workflow.active ? 'deactivate_workflow' : 'activate_workflow';
  const toggle = useToolCall(tool, workflowResult, CHANGED);
  const remove = useToolCall('delete_workflow', deletedWorkflow, ['list_workflows']);
  const deleteIt = (): void =>
    remove.mutate(given, {
      onSuccess: () => {
        toast(texts.deleted);
        void navigate({ to: '/workflows' });
      },
    });
  return (
    <>
      <Button
        isBusy={toggle.isPending}
        onClick={() =>
          toggle.mutate(given, {
            onSuccess: () => toast(workflow.active ? texts.deactivated : texts.activated),
          })
        }
      >
        {workflow.active ? texts.deactivate : texts.activate}
      </Button>
      <Button onClick={() => setOpen(true)}>{texts.delete}</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={texts.deleteTitle}
        description={texts.deleteText}
        action={texts.delete}
        isDangerous
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={deleteIt}
      />
      {toggle.error && <ErrorPanel error={toggle.error} />}
    </>
  );
}
