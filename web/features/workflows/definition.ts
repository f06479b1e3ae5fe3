import { isObject } from '../../api/reader.ts';

export type Step = Readonly<Record<string, unknown>>;

/** Holds the parts of a workflow that a person edits and a version stores. */
export interface Definition {
  readonly name: string;
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  /** The steps that run when the run has failed. */
  readonly on_failure?: readonly Step[];
}

/** The name of the list of steps that run when the run has failed. The name is also the path of that list. */
export const ON_FAILURE = 'on_failure';

/** Lists the members that contain steps, and the members that contain lists of steps. */
const LISTS = ['then', 'else', 'pages', 'steps', 'on_error'] as const;
const LISTS_BESIDE = ['parallel', 'race'] as const;

export interface StepRow {
  kind: 'step';
  /** The path in the form that the service uses in faults, for example `steps[1].then[0]`. */
  path: string;
  /** The path of the list that contains the step. */
  list: string;
  index: number;
  depth: number;
  step: Step;
}

/** Describes a list inside a step, which may be empty. */
export interface ListRow {
  kind: 'list';
  path: string;
  depth: number;
  name: string;
  length: number;
}

export type Row = StepRow | ListRow;

/** Returns the tree of steps as rows, in the order in which they are written. */
export function rowsOf(steps: readonly Step[]): Row[] {
  const rows: Row[] = [];
  addSteps(rows, steps, 'steps', 1);
  return rows;
}

/** Returns the rows of the steps, then the list of `on_failure` and its steps. */
export function definitionRows({ steps, on_failure: onFailure = [] }: Definition): Row[] {
  const rows = rowsOf(steps);
  const { length } = onFailure;
  rows.push({ kind: 'list', path: ON_FAILURE, depth: 1, name: ON_FAILURE, length });
  addSteps(rows, onFailure, ON_FAILURE, 2);
  return rows;
}

/** Returns the steps of `steps` and of `on_failure`. */
export function allSteps({ steps, on_failure: onFailure = [] }: Definition): readonly Step[] {
  return [...steps, ...onFailure];
}

function addSteps(rows: Row[], steps: readonly unknown[], list: string, depth: number): void {
  for (const [index, given] of steps.entries()) {
    const step = isObject(given) ? given : {};
    const path = `${list}[${index}]`;
    rows.push({ kind: 'step', path, list, index, depth, step });
    for (const inner of listsOf(step)) {
      const at = `${path}.${inner.path}`;
      const { name, steps: within } = inner;
      rows.push({ kind: 'list', path: at, depth: depth + 1, name, length: within.length });
      addSteps(rows, within, at, depth + 2);
    }
  }
}

/** Returns the lists of steps inside a step. */
export function listsOf(step: Step): { path: string; name: string; steps: readonly unknown[] }[] {
  const lists = LISTS.flatMap((name) => {
    const steps = step[name];
    return Array.isArray(steps) ? [{ path: name, name, steps }] : [];
  });
  const beside = LISTS_BESIDE.flatMap((member) => {
    const given = step[member];
    if (!Array.isArray(given)) return [];
    return given.map((steps: unknown, index) => ({
      path: `${member}[${index}]`,
      name: `${member} ${index + 1}`,
      steps: Array.isArray(steps) ? steps : [],
    }));
  });
  return [...lists, ...beside];
}

type Key = string | number;

/** Reads a path such as `steps[1].then[0]`. */
export function readPath(path: string): Key[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
}

/** Returns the value at a path, or undefined. */
export function valueAt(definition: unknown, path: string): unknown {
  return readPath(path).reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
    return isObject(value) ? value[key] : undefined;
  }, definition);
}

/** Returns a copy in which the value at a path is replaced by the result of `change`. */
export function changeAt<T>(whole: T, path: string, change: (value: unknown) => unknown): T {
  // A change replaces only a value deep inside, so the returned value has the type of the given value.
  return changed(whole, readPath(path), change) as T;
}

function changed(value: unknown, keys: Key[], change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((each: unknown, index) =>
      index === key ? changed(each, rest, change) : each,
    );
  }
  if (!isObject(value)) return value;
  return { ...value, [key]: changed(value[key], rest, change) };
}

export function insertStep(all: Definition, list: string, index: number, step: Step): Definition {
  return changeAt(all, list, (steps) =>
    Array.isArray(steps) ? steps.toSpliced(index, 0, step) : [step],
  );
}

export function removeStep(all: Definition, { list, index }: StepRow): Definition {
  return changeAt(all, list, (steps) => (Array.isArray(steps) ? steps.toSpliced(index, 1) : steps));
}

/** Returns the ids of all steps. */
export function idsOf(steps: readonly Step[]): Set<string> {
  return new Set(
    rowsOf(steps).flatMap((row) =>
      row.kind === 'step' && typeof row.step.id === 'string' ? [row.step.id] : [],
    ),
  );
}

/** Returns an id that no step has. */
export function freeId(steps: readonly Step[], wanted: string): string {
  const ids = idsOf(steps);
  const base =
    wanted
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]/g, '_')
      .replace(/^[^a-z]+/, '') || 'step';
  if (!ids.has(base)) return base;
  let number = 2;
  while (ids.has(`${base}_${number}`)) number += 1;
  return `${base}_${number}`;
}

/** Returns a member as the text of a field. A value that is not a text is returned as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
