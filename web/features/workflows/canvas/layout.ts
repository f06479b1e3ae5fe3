import { isObject } from '../../../api/reader.ts';
import { ON_FAILURE, type Step, listsOf } from '../definition.ts';
import type { Place } from '../move-step.ts';

export const NODE = { width: 220, height: 56 } as const;
const GAP = { x: 32, y: 40 } as const;
/** The space between the end of an inner list and the end of the list around it. */
const PADDING = 24;

export interface Placed {
  path: string;
  step: Step;
  x: number;
  y: number;
}

export interface Link {
  from: string;
  to: string;
  /** The name of the list that begins at the end of the link. */
  list?: string;
}

/**
 * The box that the canvas shows in place of an empty list, or in place of the list of `on_failure`. It is as large as a
 * step.
 */
export interface EmptyList {
  path: string;
  x: number;
  y: number;
}

/** The middle of a place between steps, where a step can be dropped. */
export interface Slot extends Place {
  id: string;
  x: number;
  y: number;
}

export interface Layout {
  nodes: readonly Placed[];
  empty: readonly EmptyList[];
  slots: readonly Slot[];
  links: readonly Link[];
}

interface Block {
  nodes: Placed[];
  empty: EmptyList[];
  slots: Slot[];
  links: Link[];
  width: number;
  height: number;
  /** The paths of the boxes at the ends of the block: where links enter it, and where links leave it. */
  first: string | undefined;
  last: readonly string[];
}

/**
 * Places the steps from top to bottom. The lists inside a step are below this step, beside each other. The steps of
 * `on_failure` are beside all other steps, below a separate box.
 */
export function layoutOf(steps: readonly Step[], onFailure: readonly Step[] = []): Layout {
  const main = placeList(steps, 'steps');
  const whole = emptyBlock();
  if (steps.length > 0) addBlock(whole, main, 0, 0);
  else whole.slots.push(...main.slots);
  const left = main.width + GAP.x * 2;
  if (onFailure.length === 0) {
    addBlock(whole, placeEmpty(ON_FAILURE), left, 0);
    return whole;
  }
  const later = placeList(onFailure, ON_FAILURE);
  const head = { path: ON_FAILURE, x: left + (later.width - NODE.width) / 2, y: 0 };
  addBlock(whole, later, left, NODE.height + GAP.y);
  whole.links.push({ from: ON_FAILURE, to: `${ON_FAILURE}[0]` });
  return { ...whole, empty: [...whole.empty, head] };
}

function placeList(steps: readonly unknown[], path: string): Block {
  if (steps.length === 0) return placeEmpty(path);
  const blocks = steps.map((step, index) =>
    placeStep(isObject(step) ? step : {}, `${path}[${index}]`),
  );
  const width = Math.max(NODE.width, ...blocks.map((block) => block.width));
  const whole = emptyBlock();
  const middle = width / 2;
  let y = 0;
  let last: readonly string[] = [];
  for (const [index, block] of blocks.entries()) {
    whole.slots.push(slotAt(path, index, middle, y - GAP.y / 2));
    addBlock(whole, block, (width - block.width) / 2, y);
    const to = block.first;
    if (to !== undefined) whole.links.push(...last.map((from) => ({ from, to })));
    last = block.last;
    y += block.height + GAP.y;
  }
  const height = y - GAP.y;
  whole.slots.push(slotAt(path, steps.length, middle, height + PADDING / 3));
  return { ...whole, width, height, first: blocks[0]?.first, last };
}

function placeEmpty(path: string): Block {
  return {
    ...emptyBlock(),
    empty: [{ path, x: 0, y: 0 }],
    slots: [slotAt(path, 0, NODE.width / 2, NODE.height / 2)],
    width: NODE.width,
    height: NODE.height,
    first: path,
    last: [path],
  };
}

function placeStep(step: Step, path: string): Block {
  const lists = listsOf(step).map(({ path: inner, name, steps }) => ({
    name,
    ...placeList(steps, `${path}.${inner}`),
  }));
  const inner = lists.reduce((sum, { width }) => sum + width + GAP.x, -GAP.x);
  const width = Math.max(NODE.width, inner);
  const whole = emptyBlock();
  whole.nodes.push({ path, step, x: (width - NODE.width) / 2, y: 0 });
  const top = NODE.height + GAP.y;
  let x = (width - inner) / 2;
  for (const list of lists) {
    addBlock(whole, list, x, top);
    if (list.first !== undefined) whole.links.push({ from: path, to: list.first, list: list.name });
    x += list.width + GAP.x;
  }
  const height =
    lists.length === 0 ? NODE.height : top + PADDING + Math.max(...lists.map((l) => l.height));
  // A branch without else, or a step with on_error, may execute none of its lists. Then the link to the next step also
  // begins at the step itself.
  const names = lists.map(({ name }) => name);
  const isWhole =
    names.some((name) => name === 'steps' || /^(parallel|race) /.test(name)) ||
    (names.includes('then') && names.includes('else'));
  const last = [...(isWhole ? [] : [path]), ...lists.flatMap((list) => list.last)];
  return { ...whole, width, height, first: path, last };
}

function slotAt(list: string, index: number, x: number, y: number): Slot {
  return { id: `${list}[${index}]`, list, index, x, y };
}

function emptyBlock(): Pick<Block, 'nodes' | 'empty' | 'slots' | 'links'> {
  return { nodes: [], empty: [], slots: [], links: [] };
}

/** Adds the content of a block at a place. */
function addBlock(whole: Pick<Block, keyof Layout>, block: Block, x: number, y: number): void {
  const moved = <T extends { x: number; y: number }>(each: T): T => ({
    ...each,
    x: each.x + x,
    y: each.y + y,
  });
  whole.nodes.push(...block.nodes.map(moved));
  whole.empty.push(...block.empty.map(moved));
  whole.slots.push(...block.slots.map(moved));
  whole.links.push(...block.links);
}
