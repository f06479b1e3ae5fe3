import { isObject } from '../../../api/reader.ts';
import { type Step, listsOf } from '../definition.ts';

export const NODE = { width: 220, height: 56 } as const;
const GAP = { x: 32, y: 40 } as const;

export interface Placed {
  path: string;
  step: Step;
  x: number;
  y: number;
}

export interface Link {
  from: string;
  to: string;
  /** Names the list that begins at the end of the link. */
  list?: string;
}

export interface Layout {
  nodes: readonly Placed[];
  links: readonly Link[];
}

interface Block {
  nodes: Placed[];
  links: Link[];
  width: number;
  height: number;
  /** The block begins at the first of these, and its next step follows the second. */
  first: string | undefined;
  last: readonly string[];
}

/** Places the steps from top to bottom, and the lists inside a step beside each other below it. */
export function layoutOf(steps: readonly Step[]): Layout {
  const { nodes, links } = placeList(steps, 'steps');
  return { nodes, links };
}

function placeList(steps: readonly unknown[], path: string): Block {
  const blocks = steps.map((step, index) =>
    placeStep(isObject(step) ? step : {}, `${path}[${index}]`),
  );
  const width = Math.max(NODE.width, ...blocks.map((block) => block.width));
  const nodes: Placed[] = [];
  const links: Link[] = [];
  let y = 0;
  let last: readonly string[] = [];
  for (const block of blocks) {
    const x = (width - block.width) / 2;
    nodes.push(...block.nodes.map((node) => ({ ...node, x: node.x + x, y: node.y + y })));
    links.push(...block.links);
    const to = block.first;
    if (to !== undefined) links.push(...last.map((from) => ({ from, to })));
    last = block.last;
    y += block.height + GAP.y;
  }
  const height = Math.max(0, y - GAP.y);
  return { nodes, links, width, height, first: blocks[0]?.first, last };
}

function placeStep(step: Step, path: string): Block {
  const lists = listsOf(step)
    .filter(({ steps }) => steps.length > 0)
    .map(({ path: inner, name, steps }) => ({ name, ...placeList(steps, `${path}.${inner}`) }));
  const inner = lists.reduce((sum, { width }) => sum + width + GAP.x, -GAP.x);
  const width = Math.max(NODE.width, inner);
  const nodes: Placed[] = [{ path, step, x: (width - NODE.width) / 2, y: 0 }];
  const links: Link[] = [];
  const top = NODE.height + GAP.y;
  let x = (width - inner) / 2;
  for (const list of lists) {
    const left = x;
    nodes.push(...list.nodes.map((node) => ({ ...node, x: node.x + left, y: node.y + top })));
    links.push(...list.links);
    if (list.first !== undefined) links.push({ from: path, to: list.first, list: list.name });
    x += list.width + GAP.x;
  }
  const height = lists.length === 0 ? NODE.height : top + Math.max(...lists.map((l) => l.height));
  // The next step also follows a branch without else, and a step that does not fail.
  const names = lists.map(({ name }) => name);
  const isWhole =
    names.some((name) => name === 'steps' || name.startsWith('parallel')) ||
    (names.includes('then') && names.includes('else'));
  const last = [...(isWhole ? [] : [path]), ...lists.flatMap((list) => list.last)];
  return { nodes, links, width, height, first: path, last };
}
