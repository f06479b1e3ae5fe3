import { useQuery } from '@tanstack/react-query';
import { toolQuery } from '../../api/tools.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import styles from './editor.module.css';
import { type Editor, definitionOf } from './use-editor.ts';
import { workflowResult } from './workflow.readers.ts';

/**
 * Shows the person's definition beside the definition that somebody else has saved. Asks the person which definition to
 * keep.
 */
export function ConflictDialog({ workflowId, editor }: { workflowId: string; editor: Editor }) {
  const texts = useTexts(editorTexts);
  const ui = useTexts(uiTexts);
  // The cached version is older than the conflict, so the dialog reads the saved workflow again.
  const query = useQuery({
    ...toolQuery('get_workflow', { workflow_id: workflowId }, workflowResult),
    refetchOnMount: 'always',
  });
  const isCurrent = query.isFetchedAfterMount && !query.isFetching;
  const saved = isCurrent ? query.data?.workflow : undefined;
  return (
    <Dialog
      isOpen
      isWide
      onClose={editor.closeConflict}
      title={texts.conflictTitle}
      description={texts.conflictText}
      actions={
        <>
          <Button onClick={editor.closeConflict}>{ui.cancel}</Button>
          <Button isBusy={!saved} onClick={() => saved && editor.adopt(saved)}>
            {texts.takeTheirs}
          </Button>
          <Button
            look="primary"
            isBusy={!saved || editor.isSaving}
            onClick={() => saved && editor.overwrite(saved.version)}
          >
            {texts.keepMine}
          </Button>
        </>
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {saved ? (
        <div className={styles.sides}>
          <TextViewer title={texts.mine} value={editor.definition} />
          <TextViewer title={texts.theirs(saved.version)} value={definitionOf(saved)} />
        </div>
      ) : (
        !query.error && <Skeleton rows={6} />
      )}
    </Dialog>
  );
}
