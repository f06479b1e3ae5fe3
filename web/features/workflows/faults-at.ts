import type { Editor } from './use-editor.ts';

/** Returns the number of faults at a path and at the paths inside it. */
export function faultsAt(faults: Editor['faults'], path: string): number {
  return faults.filter((each) => each.path === path || each.path.startsWith(`${path}.`)).length;
}
