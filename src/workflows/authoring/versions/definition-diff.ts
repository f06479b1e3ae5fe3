import { type JsonChange, jsonDiff, PathBudget } from '../../../text/json-diff.js';
import type { Step } from '../../definitions/definition.js';
import { isFailureStep } from '../../definitions/steps/failure-step.js';
import type { InnerList } from '../../definitions/steps/step-kind.js';
import { innerListsOf } from '../../definitions/steps/step-kinds.js';

/** The difference of one step. A step that moved and changed is `changed`; `from` and `to` show the move. */
export interface StepDiff {
  id: string;
  change: 'added' | 'removed' | 'moved' | 'changed';
  /**
   * The JSON Pointer to the step in the old definition. `to` is its pointer in the new definition. A pointer is null
   * where the step does not exist.
   */
  from: string | null;
  to: string | null;
  /** The differences of the members of the step. Steps inside it have separate entries. */
  changes: JsonChange[];
}

interface PlacedStep {
  step: Step;
  path: string;
  /** The id of the surrounding step, and the member that contains the list. Empty for the outermost list. */
  list: string;
}

/**
 * Returns the differences between two lists of steps. Steps are matched by their id, wherever they are. A step whose
 * position changed only because another step was inserted has not moved.
 */
export function diffSteps(before: readonly Step[], after: readonly Step[]): StepDiff[] {
  const [old, now] = [placed(before), placed(after)];
  const moved = movedIds(old, now);
  const budget = new PathBudget();
  const kept = [...now.values()].flatMap((to): StepDiff[] => {
    const { id } = to.step;
    const from = old.get(id);
    if (!from) return [{ id, change: 'added', from: null, to: to.path, changes: [] }];
    const changes = jsonDiff(ownMembers(from.step), ownMembers(to.step), budget);
    if (changes.length === 0 && !moved.has(id)) return [];
    const change = changes.length > 0 ? 'changed' : 'moved';
    return [{ id, change, from: from.path, to: to.path, changes }];
  });
  const removed = [...old.values()]
    .filter(({ step }) => !now.has(step.id))
    .map(({ step, path }): StepDiff => {
      return { id: step.id, change: 'removed', from: path, to: null, changes: [] };
    });
  return [...removed, ...kept];
}

function placed(
  steps: readonly Step[],
  path = '/steps',
  list = '',
  found = new Map<string, PlacedStep>(),
): Map<string, PlacedStep> {
  for (const [index, step] of steps.entries()) {
    // The failure step is generated. Callers know only the steps inside it.
    if (isFailureStep(step)) {
      placed(step.on_failure, '/on_failure', 'on_failure', found);
      continue;
    }
    const at = `${path}/${index}`;
    found.set(step.id, { step, path: at, list });
    for (const inner of innerLists(step)) {
      const member = inner.member.replace(/\[(\d+)\]$/, '/$1');
      placed(inner.steps, `${at}/${member}`, `${step.id} ${member}`, found);
    }
  }
  return found;
}

/**
 * Returns the step with all inner lists empty. So a comparison sees which lists the step has, but not the steps in
 * these lists.
 */
function ownMembers(step: Step): object {
  const own: Record<string, unknown> = { ...step };
  for (const { member } of innerLists(step)) {
    const [name, lane] = member.split(/[[\]]/) as [string, string?];
    if (!Object.hasOwn(own, name)) continue;
    own[name] = lane === undefined ? [] : (own[name] as unknown[]).with(Number(lane), []);
  }
  return own;
}

/**
 * Returns the ids of steps that moved to another list, or to another position among the steps that stayed in their
 * list.
 */
function movedIds(
  old: ReadonlyMap<string, PlacedStep>,
  now: ReadonlyMap<string, PlacedStep>,
): Set<string> {
  const moved = new Set<string>();
  const stayed = new Map<string, string[]>();
  for (const [id, { list }] of now) {
    const from = old.get(id);
    if (from?.list === list) stayed.set(list, [...(stayed.get(list) ?? []), id]);
    else if (from) moved.add(id);
  }
  const positions = new Map([...old.keys()].map((id, index) => [id, index]));
  for (const ids of stayed.values()) {
    const inOrder = longestInOrder(ids, positions);
    for (const id of ids) if (!inOrder.includes(id)) moved.add(id);
  }
  return moved;
}

/**
 * Returns the longest subsequence with ascending positions. All other steps count as moved, so the longest one gives
 * the fewest moved steps.
 */
function longestInOrder(ids: readonly string[], positions: ReadonlyMap<string, number>): string[] {
  const longest = (chains: readonly string[][]): string[] =>
    chains.reduce((a, b) => (b.length > a.length ? b : a), []);
  const chains: string[][] = [];
  for (const id of ids) {
    const earlier = chains.filter((chain) => positions.get(chain.at(-1)!)! < positions.get(id)!);
    chains.push([...longest(earlier), id]);
  }
  return longest(chains);
}

/** Returns the lists of steps inside a step, including `on_error`. */
function innerLists(step: Step): readonly InnerList[] {
  const lists = innerListsOf(step);
  return Array.isArray(step.on_error)
    ? [...lists, { member: 'on_error', steps: step.on_error }]
    : lists;
}
