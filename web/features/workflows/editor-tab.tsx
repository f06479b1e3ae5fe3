import { type KeyboardEvent, type ReactNode, useCallback, useState } from 'react';
import { useToolList } from '../../api/tools.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CanvasView } from './canvas-view.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import styles from './editor.module.css';
import { faultsAt } from './faults-at.ts';
import { JsonView } from './json-view.tsx';
import { OutlineView } from './outline-view.tsx';
import { TRIGGER } from './outline.tsx';
import type { Editor } from './use-editor.ts';
import { useMoving } from './use-moving.ts';
import type { Workflow } from './workflow.readers.ts';

type View = 'outline' | 'canvas' | 'json';

/** Shows the editor: views of one definition, with undo, the draft, and saving. */
export function EditorTab({ workflow, editor }: { workflow: Workflow; editor: Editor }) {
  const texts = useTexts(editorTexts);
  const [view, setView] = useState<View>('outline');
  const [selected, setSelected] = useState(TRIGGER);
  const [isDiscarding, setDiscarding] = useState(false);
  const tools = useToolList().data ?? [];
  const moving = useMoving(editor, setSelected);
  const { faults } = editor;
  const faultsOf = useCallback((path: string) => faultsAt(faults, path), [faults]);
  const press = (event: KeyboardEvent): void => {
    const isField =
      event.target instanceof Element && event.target.closest('input, textarea, select');
    if (isField || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    event.preventDefault();
    if (event.shiftKey) editor.redo();
    else editor.undo();
  };
  const part = (value: View, content: ReactNode) => ({
    value,
    label: texts.view[value],
    content,
  });
  return (
    <div className={styles.editor} onKeyDown={press}>
      <div className={styles.bar}>
        <Button size="small" disabled={!editor.canUndo} onClick={editor.undo}>
          {texts.undo}
        </Button>
        <Button size="small" disabled={!editor.canRedo} onClick={editor.redo}>
          {texts.redo}
        </Button>
        <span role="status" className={styles.state}>
          {moving.notice && (
            <span className={moving.isRefused ? styles.refused : undefined}>{moving.notice} </span>
          )}
          {editor.isChanged ? texts.unsaved : texts.clean}
        </span>
        {editor.isChanged && (
          <Button size="small" look="plain" onClick={() => setDiscarding(true)}>
            {texts.discard}
          </Button>
        )}
        <Button
          size="small"
          look="primary"
          isBusy={editor.isSaving || !editor.isChanged}
          onClick={editor.save}
        >
          {texts.save}
        </Button>
      </div>
      {editor.error && <ErrorPanel error={editor.error} />}
      <Tabs
        label={texts.views}
        value={view}
        onChange={setView}
        tabs={[
          part(
            'outline',
            <OutlineView {...{ editor, moving, tools, selected }} onSelect={setSelected} />,
          ),
          part(
            'canvas',
            <CanvasView
              definition={editor.definition}
              moving={moving}
              faultsAt={faultsOf}
              onOpen={(path) => {
                setSelected(path);
                setView('outline');
              }}
            />,
          ),
          part(
            'json',
            <JsonView
              definition={editor.definition}
              tools={tools}
              faults={editor.faults}
              onChange={(next) => editor.apply(next, 'json')}
            />,
          ),
        ]}
      />
      {editor.isConflict && <ConflictDialog workflowId={workflow.id} editor={editor} />}
      <ConfirmDialog
        isOpen={isDiscarding}
        onClose={() => setDiscarding(false)}
        title={texts.discardTitle}
        description={texts.discardText}
        action={texts.discard}
        isDangerous
        onConfirm={() => {
          setDiscarding(false);
          editor.adopt(workflow);
        }}
      />
    </div>
  );
}
