import type { Definition } from './definition.ts';

/** Holds a definition with the changes that can be undone and redone. */
export interface History {
  readonly past: readonly Definition[];
  readonly present: Definition;
  readonly future: readonly Definition[];
  /**
   * The label of a change. Successive changes with the same label, such as the letters of one field, are undone
   * together.
   */
  readonly label: string | undefined;
}

const MOST = 200;

export function startHistory(present: Definition): History {
  return { past: [], present, future: [], label: undefined };
}

export function change(history: History, next: Definition, label?: string): History {
  if (next === history.present) return history;
  const joins = label !== undefined && label === history.label && history.past.length > 0;
  const past = joins ? history.past : [...history.past, history.present].slice(-MOST);
  return { past, present: next, future: [], label };
}

export function undo(history: History): History {
  const before = history.past.at(-1);
  if (!before) return history;
  const { past, present, future } = history;
  return {
    past: past.slice(0, -1),
    present: before,
    future: [present, ...future],
    label: undefined,
  };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (!next) return history;
  return { past: [...history.past, history.present], present: next, future, label: undefined };
}
