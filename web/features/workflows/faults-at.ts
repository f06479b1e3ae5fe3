import type { Editor } from './use-editor.ts';

/** Returns how many faults there are at a path and inside it. */
export function faultsAt(faults: Editor['faults'], path: string): number {
  return faults.filter((each) => each.path === path || each.path.startsWith(`${path}.`)).length;
}
