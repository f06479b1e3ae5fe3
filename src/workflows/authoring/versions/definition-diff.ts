import type { Step } from '../../definitions/definition.js';
import type { InnerList } from '../../definitions/steps/step-kind.js';
import { kindOf } from '../../definitions/steps/step-kinds.js';
import { type JsonChange, jsonDiff } from './json-diff.js';

/** What became of one step. One that has moved and changed is `changed`, and `from` and `to` tell that it moved too. */
export interface StepDiff {
  id: string;
  change: 'added' | 'removed' | 'moved' | 'changed';
  /** JSON Pointer to the step in the definition of either side; null where it is not. */
  from: string | null;
  to: string | null;
  /** Differences of the members of the step itself; what is inside of it is told of by its own entries. */
  changes: JsonChange[];
}

interface PlacedStep {
  step: Step;
  path: string;
  /** Which list it is in: the id of the step around it and the member, empty for the outermost. */
  list: string;
}

/**
 * The differences between two lists of steps, step by step. Steps are the same by their id, wherever they are; one that
 * only comes later because another was put before it has not moved.
 */
export function diffSteps(before: readonly Step[], after: readonly Step[]): StepDiff[] {
  const [old, now] = [placed(before), placed(after)];
  const moved = movedIds(old, now);
  const kept = [...now.values()].flatMap((to): StepDiff[] => {
    const { id } = to.step;
    const from = old.get(id);
    if (!from) return [{ id, change: 'added', from: null, to: to.path, changes: [] }];
    const changes = jsonDiff(ownMembers(from.step), ownMembers(to.step));
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
    const at = `${path}/${index}`;
    found.set(step.id, { step, path: at, list });
    for (const inner of innerLists(step)) {
      const member = inner.member.replace(/\[(\d+)\]$/, '/$1');
      placed(inner.steps, `${at}/${member}`, `${step.id} ${member}`, found);
    }
  }
  return found;
}

/** All of a step but the steps in it. That it has a list, or has none, is a difference of its own. */
function ownMembers(step: Step): object {
  const own: Record<string, unknown> = { ...step };
  for (const { member } of innerLists(step)) {
    const [name, lane] = member.split(/[[\]]/) as [string, string?];
    if (!Object.hasOwn(own, name)) continue;
    own[name] = lane === undefined ? [] : (own[name] as unknown[]).with(Number(lane), []);
  }
  return own;
}

/** Steps that are in another list than before, or in another order among those that stayed in theirs. */
function movedIds(
  old: ReadonlyMap<string, PlacedStep>,
  now: ReadonlyMap<string, PlacedStep>,
): Set<string> {
  const moved = new Set<string>();
  const stayed = new Map<string, { before: string[]; after: string[] }>();
  const listOf = (list: string) => {
    const found = stayed.get(list) ?? { before: [], after: [] };
    stayed.set(list, found);
    return found;
  };
  for (const [id, { list }] of old) {
    if (now.get(id)?.list === list) listOf(list).before.push(id);
  }
  for (const [id, { list }] of now) {
    const from = old.get(id);
    if (from?.list === list) listOf(list).after.push(id);
    else if (from) moved.add(id);
  }
  for (const { before, after } of stayed.values()) {
    const inOrder = longestCommon(before, after);
    for (const id of after) if (!inOrder.has(id)) moved.add(id);
  }
  return moved;
}

/** The longest selection that has the same order in both: as few steps as possible count as moved. */
function longestCommon(before: readonly string[], after: readonly string[]): Set<string> {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    Array.from({ length: after.length + 1 }, () => 0),
  );
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] =
        before[i] === after[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const common = new Set<string>();
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    if (before[i] === after[j]) {
      common.add(before[i]!);
      i += 1;
      j += 1;
    } else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i += 1;
    else j += 1;
  }
  return common;
}

/** The lists of steps that a step has in it, `on_error` among them. */
export function innerLists(step: Step): readonly InnerList[] {
  const lists = kindOf(step).lists(step);
  return Array.isArray(step.on_error)
    ? [...lists, { member: 'on_error', steps: step.on_error }]
    : lists;
}
