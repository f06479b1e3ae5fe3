import { isObject } from '../../api/reader.ts';
import {
  ON_FAILURE,
  type Definition,
  type Step,
  type StepRow,
  insertStep,
  listsOf,
  removeStep,
  valueAt,
} from './definition.ts';

/** Describes a place among the steps: before the step that has this index in the list, or at the end of the list. */
export interface Place {
  list: string;
  index: number;
}

/** Says why a step cannot move to a place. `inside`: the place is inside the step itself. */
export type Refusal = 'inside' | 'deep' | 'needed';

export type Move = { definition: Definition; path: string } | { refusal: Refusal };

/** The largest depth of lists inside lists. The service has the same limit. */
const MAX_NESTING = 10;

/**
 * Moves a step with everything inside it, and returns its new path. When the step is at this place already, returns the
 * same definition object.
 */
export function moveStep(all: Definition, from: StepRow, to: Place): Move {
  const refusal = refusalOf(all, from, to);
  if (refusal) return { refusal };
  const isSame = to.list === from.list && (to.index === from.index || to.index === from.index + 1);
  if (isSame) return { definition: all, path: from.path };
  const removed = removeStep(all, from);
  const isLater = to.list === from.list && to.index > from.index;
  const list = pathAfterRemoval(to.list, from);
  const index = isLater ? to.index - 1 : to.index;
  return { definition: insertStep(removed, list, index, from.step), path: `${list}[${index}]` };
}

/** Returns why a step cannot move to a place, or undefined. */
export function refusalOf(all: Definition, from: StepRow, to: Place): Refusal | undefined {
  if (to.list.startsWith(`${from.path}.`)) return 'inside';
  if (listsAround(to.list) + nestingOf(from.step) > MAX_NESTING) return 'deep';
  const neighbours = valueAt(all, from.list);
  const isLast = Array.isArray(neighbours) && neighbours.length === 1;
  return to.list !== from.list && isLast && isNeeded(from.list) ? 'needed' : undefined;
}

/** Returns the place one line above or below a step. At an end of its list, this place is outside of the list. */
export function placeBeside(all: Definition, { list, index }: StepRow, by: -1 | 1): Place {
  const steps = valueAt(all, list);
  const length = Array.isArray(steps) ? steps.length : 0;
  if (index + by >= 0 && index + by < length)
    return { list, index: by < 0 ? index - 1 : index + 2 };
  const owner = ownerOf(list);
  if (!owner) return placeInOtherList(all, list, index, by);
  const lists = listsInside(all, owner.path);
  const sibling = lists[lists.indexOf(list) + by];
  if (sibling !== undefined) return { list: sibling, index: by < 0 ? lengthOf(all, sibling) : 0 };
  return { list: owner.list, index: by < 0 ? owner.index : owner.index + 1 };
}

/**
 * Returns the place in the other outermost list, `steps` or `on_failure`. `on_failure` counts as below `steps`. Returns
 * the given place when no other list is in the direction `by`.
 */
function placeInOtherList(all: Definition, list: string, index: number, by: -1 | 1): Place {
  if (list === ON_FAILURE && by < 0) return { list: 'steps', index: all.steps.length };
  return list !== ON_FAILURE && by > 0 ? { list: ON_FAILURE, index: 0 } : { list, index };
}

/**
 * Returns the nearest place inside the neighbour: the end of its last list, or the start of its first list. Returns
 * undefined when the neighbour has no lists.
 */
export function placeInside(all: Definition, from: StepRow, by: -1 | 1): Place | undefined {
  const lists = listsInside(all, `${from.list}[${from.index + by}]`);
  const list = by < 0 ? lists.at(-1) : lists[0];
  return list === undefined ? undefined : { list, index: by < 0 ? lengthOf(all, list) : 0 };
}

function listsInside(all: Definition, path: string): string[] {
  const step = valueAt(all, path);
  return isObject(step) ? listsOf(step).map((inner) => `${path}.${inner.path}`) : [];
}

function lengthOf(all: Definition, list: string): number {
  const steps = valueAt(all, list);
  return Array.isArray(steps) ? steps.length : 0;
}

/** Returns the step that contains a list, or undefined for the outermost list. */
function ownerOf(list: string): { path: string; list: string; index: number } | undefined {
  const found = /^((.*)\[(\d+)\])\.\w+(?:\[\d+\])?$/.exec(list);
  if (!found) return undefined;
  const [, path = '', outer = '', index = '0'] = found;
  return { path, list: outer, index: Number(index) };
}

/** Returns the path of a list after a step was removed elsewhere. */
function pathAfterRemoval(list: string, from: StepRow): string {
  const prefix = `${from.list}[`;
  if (!list.startsWith(prefix)) return list;
  const rest = list.slice(prefix.length);
  const index = Number.parseInt(rest, 10);
  return index > from.index ? `${prefix}${index - 1}${rest.slice(rest.indexOf(']'))}` : list;
}

function listsAround(list: string): number {
  const owner = ownerOf(list);
  return owner ? listsAround(owner.list) + 1 : 1;
}

function nestingOf(step: Step): number {
  const depths = listsOf(step).map(
    ({ steps }) => 1 + Math.max(0, ...steps.filter(isObject).map(nestingOf)),
  );
  return Math.max(0, ...depths);
}

/** Returns true for a list that must not be empty: the list of a loop, of a parallel step or of a race. */
function isNeeded(list: string): boolean {
  return /\.(?:steps|pages|(?:parallel|race)\[\d+\])$/.test(list);
}
