import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import type { Definition } from './definition.ts';
import { type History, change, redo, startHistory, undo } from './edit-history.ts';
import { readLocalDraft, writeLocalDraft } from './local-draft.ts';
import { type Workflow, savedWorkflow } from './workflow.readers.ts';

const CHANGED = ['get_workflow', 'list_workflows', 'list_workflow_versions'];

export type Editor = ReturnType<typeof useEditor>;

/** Returns the part of a workflow that people edit. */
export function definitionOf({ name, trigger, steps, on_failure = [] }: Workflow): Definition {
  return { name, trigger, steps, on_failure };
}

/** Holds the definition that a person edits, with its history, its draft in this browser, and its faults. */
export function useEditor(workflow: Workflow, onSaved: (secret: string | null) => void) {
  const [base, setBase] = useState(workflow);
  const [history, setHistory] = useState<History>(() => {
    const draft = readLocalDraft(workflow.id);
    const start = startHistory(definitionOf(workflow));
    return draft ? change(start, draft.definition) : start;
  });
  // A draft of an older version must not silently replace a newer saved version.
  const [baseVersion, setBaseVersion] = useState(
    () => readLocalDraft(workflow.id)?.version ?? workflow.version,
  );
  const save = useToolCall('update_workflow', savedWorkflow, CHANGED);
  const { present } = history;
  const isChanged = JSON.stringify(present) !== JSON.stringify(definitionOf(base));
  const isDirty = useRef(isChanged);
  useEffect(() => {
    isDirty.current = isChanged;
    writeLocalDraft(
      workflow.id,
      isChanged ? { version: baseVersion, definition: present } : undefined,
    );
  }, [workflow.id, present, isChanged, baseVersion]);

  const adopt = (next: Workflow): void => {
    setBase(next);
    setBaseVersion(next.version);
    setHistory(startHistory(definitionOf(next)));
    save.reset();
  };
  // A version that somebody else saved is shown immediately if this person has no unsaved changes.
  if (workflow.version > base.version && !isChanged) adopt(workflow);

  const saveAt = (version: number): void =>
    save.mutate(
      { workflow_id: workflow.id, ...present, expected_version: version },
      {
        onSuccess: ({ workflow: saved, secret }) => {
          setBase(saved);
          setBaseVersion(saved.version);
          setHistory((before) => change(before, definitionOf(saved)));
          onSaved(secret);
        },
      },
    );
  const { error } = save;
  // Other conflicts are not about the version, so the dialog could not resolve them.
  const isConflict = error instanceof ApiError && error.currentVersion !== undefined;
  return {
    definition: present,
    isChanged,
    isDirty,
    isSaving: save.isPending,
    error: isConflict ? null : error,
    isConflict,
    faults: error instanceof ApiError ? error.faults : [],
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    apply: (next: Definition, label?: string): void =>
      setHistory((before) => change(before, next, label)),
    undo: (): void => setHistory(undo),
    redo: (): void => setHistory(redo),
    save: (): void => saveAt(baseVersion),
    overwrite: (version: number): void => saveAt(version),
    closeConflict: (): void => save.reset(),
    adopt,
  };
}
