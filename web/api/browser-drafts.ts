/** The beginning of the names under which the storage of this browser keeps drafts of workflows. */
export const DRAFT_PREFIX = 'switchboard.workflow-draft.';

/**
 * Removes all drafts from the storage of this browser, so that the next person who uses the browser cannot read them.
 */
export function removeDrafts(): void {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(DRAFT_PREFIX)) localStorage.removeItem(name);
    }
  } catch {
    // Storage is blocked, so there are no drafts.
  }
}
