import { DRAFT_PREFIX } from '../../api/browser-drafts.ts';
import { isObject } from '../../api/reader.ts';
import type { Definition } from './definition.ts';

/** Holds a definition that is not saved yet, with the version that it changes. */
export interface LocalDraft {
  version: number;
  definition: Definition;
}

/** Returns the draft that this browser keeps of a workflow. */
export function readLocalDraft(workflowId: string): LocalDraft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(DRAFT_PREFIX + workflowId) ?? 'null');
    if (!isObject(stored) || typeof stored.version !== 'number') return undefined;
    const { version, definition } = stored;
    if (!isObject(definition)) return undefined;
    const { name, trigger, steps } = definition;
    const later = Array.isArray(definition.on_failure) ? definition.on_failure : [];
    if (typeof name !== 'string' || !isObject(trigger) || !Array.isArray(steps)) return undefined;
    const lists = { steps: steps.filter(isObject), on_failure: later.filter(isObject) };
    return { version, definition: { name, trigger, ...lists } };
  } catch {
    return undefined;
  }
}

/** Keeps a draft in this browser. Without a draft, removes the stored draft. Does nothing when storage is blocked. */
export function writeLocalDraft(workflowId: string, draft: LocalDraft | undefined): void {
  try {
    if (draft) localStorage.setItem(DRAFT_PREFIX + workflowId, JSON.stringify(draft));
    else localStorage.removeItem(DRAFT_PREFIX + workflowId);
  } catch {
    // The storage is full or blocked. The draft is lost when the page is closed.
  }
}
