import type { ForEachStep, SetStep, Step } from '../definition.js';
import { isDynamic, type Json } from '../step-fields.js';
import { progressOf, windowOf } from './loop-progress.js';
import type { InnerList, JournalState, Lanes, StepKind } from './step-kind.js';
import { STEP_ID, type StepParser } from './step-parser.js';

/** The largest number of items of one list. All pages of a loop together may have `MAX_PAGED_ITEMS`. */
export const MAX_ITEMS = 100_000;
export const MAX_PAGED_ITEMS = 1_000_000;
export const MAX_PAGES = 100_000;
/** The largest number of items of a list that is written in the definition. */
const MAX_WRITTEN_ITEMS = 1000;
export const MAX_BATCH = 1000;
const MAX_CONCURRENCY = 10;
/** The variable that contains the index of the item, or of the page, from 0. */
export const INDEX = 'index';
/** The variable that the steps of `pages` read. It contains the value of `next` after the previous page, or null. */
export const CURSOR = 'cursor';

/** The journal input of a loop: its list, or the list of the current page. */
export interface LoopInput {
  items: unknown[];
}

export const FOR_EACH_STEP: StepKind<ForEachStep> = {
  marks: ['for_each'],
  hint: '"for_each"',
  keys: ['pages', 'next', 'for_each', 'as', 'batch', 'concurrency', 'steps', 'output'],
  staysOpen: true,

  parse: (given, path, parser) => ({
    ...parsePages(given, path, parser),
    for_each: parseItems(given.for_each, `${path}.for_each`, parser),
    ...(given.as !== undefined && { as: parseName(given.as, `${path}.as`, parser) }),
    ...(given.concurrency !== undefined && {
      concurrency: parseCount(given.concurrency, MAX_CONCURRENCY, `${path}.concurrency`, parser),
    }),
    ...(given.batch !== undefined && {
      batch: parseCount(given.batch, MAX_BATCH, `${path}.batch`, parser),
    }),
    steps: parser.nonEmptyList(given.steps, `${path}.steps`),
    ...(given.output !== undefined && { output: given.output }),
  }),

  check(step, path, checks) {
    // In a loop over pages, these expressions are evaluated after the steps of each page.
    if (!step.pages) checks.value(step.for_each, `${path}.for_each`);
    checks.name(itemName(step), `${path}.as`);
    // All nested loops set this name. The inner index hides the outer index, which can still be read as `<id>.index`.
    for (const name of step.pages ? [INDEX, CURSOR] : [INDEX]) {
      if (!checks.hasStep(name)) continue;
      checks.fault(path, `uses the variable "${name}", but a step has that id`);
    }
  },

  lists(step) {
    const names = [itemName(step), INDEX, step.id];
    const most = step.pages ? MAX_PAGED_ITEMS : MAX_ITEMS;
    const loop = { names, longestPrefix: `${step.id}[${most - 1}].` };
    const after = step.output === undefined ? {} : { output: step.output };
    return [
      ...pagesOf(step),
      { member: 'steps', steps: step.steps, loop, after, readerId: loopOutputStep(step)?.id },
    ];
  },

  inside: (step, state) => (state.status === 'running' ? lanesOf(step, state) : []),
};

function pagesOf(step: ForEachStep): InnerList[] {
  const { pages, next, for_each: items } = step;
  if (!pages) return [];
  const loop = { names: [INDEX, CURSOR], longestPrefix: `${step.id}:page[${MAX_PAGES - 1}].` };
  return [{ member: 'pages', steps: pages, loop, after: { for_each: items, next } }];
}

function lanesOf(step: ForEachStep, state: JournalState): Lanes {
  const itemCount = countItems(state);
  const progress = progressOf(state);
  const atOnce = Math.min(step.concurrency ?? 1, MAX_CONCURRENCY);
  const loop = { isLoop: true, atOnce };
  const steps = iterationSteps(step);
  // Iterations without steps would all be done at once. Only SQL of a tool can store such a loop.
  const kept = steps.length === 0 ? 0 : itemCount;
  if (!progress) return { ...loop, count: kept, steps: () => steps };
  const { done, pages } = progress;
  const count = (pages?.firstItem ?? 0) + itemCount;
  if (step.pages && pages && done === count && !pages.isLast) {
    const page = { first: pages.read, count: pages.read + 1, isPage: true as const };
    return { ...loop, ...page, atOnce: 1, steps: () => step.pages! };
  }
  return { ...loop, first: done, count, window: windowOf(steps.length), steps: () => steps };
}

/**
 * Returns the number of items in the journal entry of a loop. Throws when the loop can have no such number of items.
 */
function countItems(state: JournalState): number {
  const { itemCount } = state;
  if (itemCount === undefined) return itemsOf(state).length;
  if (itemCount > MAX_ITEMS) throw new Error(`A loop has at most ${MAX_ITEMS} items.`);
  return itemCount;
}

/**
 * Returns the items in the journal entry of a loop. Throws when the stored input has no such list. Without this check,
 * an object with a huge `length` would block the process.
 */
export function itemsOf({ input }: Pick<JournalState, 'input'>): unknown[] {
  const items: unknown = input && 'items' in input ? input.items : undefined;
  if (Array.isArray(items) && items.length <= MAX_ITEMS) return items;
  throw new Error(`The stored input of a loop has no list of at most ${MAX_ITEMS} items.`);
}

const iterations = new WeakMap<ForEachStep, { steps: readonly Step[]; output?: SetStep }>();

/**
 * Returns the generated step that ends each iteration of a loop with `output`. The step keeps the value of the item in
 * the journal. Ids of a definition contain no colon, so no other step can have its id.
 */
export function loopOutputStep(step: Step): SetStep | undefined {
  return 'for_each' in step ? iterationOf(step).output : undefined;
}

function iterationSteps(step: ForEachStep): readonly Step[] {
  return iterationOf(step).steps;
}

function iterationOf(step: ForEachStep): { steps: readonly Step[]; output?: SetStep } {
  const known = iterations.get(step);
  if (known) return known;
  const { id, output: value, steps } = step;
  const output = value === undefined ? undefined : { id: `${id}:output`, set: { value } };
  const made = output ? { steps: [...steps, output], output } : { steps };
  iterations.set(step, made);
  return made;
}

export function itemName(step: ForEachStep): string {
  return step.as ?? 'item';
}

function parseItems(given: unknown, path: string, parser: StepParser): string | unknown[] {
  if (Array.isArray(given)) {
    if (given.length > MAX_WRITTEN_ITEMS) {
      parser.fault(path, `must have at most ${MAX_WRITTEN_ITEMS} items`);
    }
    return given;
  }
  if (typeof given === 'string' && isDynamic(given)) return parser.text(given, path);
  parser.fault(path, 'must be a list, or an expression that returns one');
  return [];
}

function parseName(given: unknown, path: string, parser: StepParser): string {
  if (typeof given === 'string' && STEP_ID.test(given) && given !== INDEX) return given;
  parser.fault(path, `must match ${STEP_ID.source}, and not be "${INDEX}"`);
  return 'item';
}

function parseCount(given: unknown, most: number, path: string, parser: StepParser): number {
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= most) return Number(given);
  parser.fault(path, `must be a whole number from 1 to ${most}`);
  return 1;
}

function parsePages(
  given: Json,
  path: string,
  parser: StepParser,
): Pick<ForEachStep, 'pages' | 'next'> {
  if (given.pages === undefined) {
    if (given.next !== undefined) parser.fault(`${path}.next`, 'needs pages');
    return {};
  }
  if (Array.isArray(given.for_each)) {
    parser.fault(`${path}.for_each`, 'must be an expression that returns the items of a page');
  }
  const next = parser.text(given.next, `${path}.next`);
  if (next !== '' && !isDynamic(next)) parser.fault(`${path}.next`, 'must be an expression');
  return { pages: parser.nonEmptyList(given.pages, `${path}.pages`), next };
}
