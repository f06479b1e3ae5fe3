import { isObject } from '../../api/reader.ts';
import { type Definition, ON_FAILURE, type Step, listsOf, valueAt, textOf } from './definition.ts';
import { namedValues } from './step-kind.ts';

/** Describes a value that a step can use, with the expression that returns it. */
export interface Output {
  expression: string;
  /** A description of the value, if one is known. */
  about?: string;
}

/** The output schema of each tool, by the name of the tool. */
export type OutputSchemas = ReadonlyMap<string, unknown>;

const BEFORE: readonly Output[] = [
  { expression: 'trigger.payload' },
  { expression: 'trigger.headers' },
  { expression: 'trigger.query' },
  { expression: 'trigger.method' },
  { expression: 'trigger.received_at' },
  { expression: 'trigger.type' },
  { expression: 'contact.id' },
  { expression: 'contact.email' },
  { expression: 'contact.first_name' },
  { expression: 'contact.properties' },
  { expression: 'run.id' },
  { expression: 'workflow.id' },
  { expression: 'workflow.name' },
];

/** Lists the values of the failure, which the steps of `on_failure` can use. */
const FAILURE: readonly Output[] = [
  { expression: 'failure.step' },
  { expression: 'failure.error.message' },
  { expression: 'failure.error.code' },
  { expression: 'failure.tool' },
  { expression: 'failure.failed_at' },
];

/**
 * Returns the values that the step at a path can use: the trigger, the contact, and the outputs of the steps before it.
 * Steps inside a branch or a loop are visible only there. The nearest steps come first.
 */
export function earlierOutputs(
  definition: Definition,
  path: string,
  schemas: OutputSchemas,
): Output[] {
  const found: Output[] = [];
  let rest = path;
  for (;;) {
    const place = /^(.*)\[(\d+)\]$/.exec(rest);
    if (!place) break;
    const [, list = '', index = '0'] = place;
    const steps = valueAt(definition, list);
    if (Array.isArray(steps)) {
      const before = steps.slice(0, Number(index)).filter(isObject);
      for (const step of before.toReversed()) found.push(...outputsOf(step, schemas));
    }
    const owner = /^(.*\])\.(\w+)(?:\[\d+\])?$/.exec(list);
    if (!owner) break;
    const [, at = '', member = ''] = owner;
    const outer = valueAt(definition, at);
    if (isObject(outer)) found.push(...inside(outer, member));
    rest = at;
  }
  if (path.startsWith(ON_FAILURE)) {
    const steps = definition.steps.toReversed().flatMap((step) => outputsOf(step, schemas));
    found.push(...FAILURE, ...steps);
  }
  const all = [...found, ...BEFORE].map((output) => [output.expression, output] as const);
  return [...new Map(all).values()];
}

/** Returns the values of a step that are visible only in one of its inner lists, such as the item of a loop. */
function inside(step: Step, member: string): Output[] {
  const id = textOf(step.id);
  if (member === 'on_error') {
    return [`${id}.error.message`, `${id}.error.code`].map((expression) => ({ expression }));
  }
  if (member === 'pages') return ['cursor', 'index'].map((expression) => ({ expression }));
  if (member !== 'steps') return [];
  const item = typeof step.as === 'string' ? step.as : 'item';
  return [item, 'index', `${id}.count`].map((expression) => ({ expression }));
}

function outputsOf(step: Step, schemas: OutputSchemas): Output[] {
  const values = varsOf(step).map((name) => ({ expression: `vars.${name}` }));
  return step.set === undefined ? [...values, ...ownOutputsOf(step, schemas)] : values;
}

/**
 * Returns the names of the values that a step sets, including the steps inside it. A value that a loop sets exists only
 * inside this loop, so it is left out.
 */
function varsOf(step: Step): string[] {
  const own = step.set === undefined ? [] : namedValues(step).names;
  const lists = listsOf(step).filter(({ name }) => name !== 'steps' && name !== 'pages');
  const inner = lists.flatMap(({ steps }) => steps.filter(isObject).flatMap(varsOf));
  return [...own, ...inner];
}

function ownOutputsOf(step: Step, schemas: OutputSchemas): Output[] {
  const { id, tool, parallel } = step;
  if (typeof id !== 'string') return [];
  const own = { expression: id };
  if (Array.isArray(parallel)) {
    const inner = parallel.flatMap((list: unknown) => (Array.isArray(list) ? list : []));
    return [...inner.filter(isObject).flatMap((each) => ownOutputsOf(each, schemas)), own];
  }
  if (step.race !== undefined) {
    return [own, { expression: `${id}.winner` }, { expression: `${id}.result` }];
  }
  if (step.for_each !== undefined) {
    return [
      own,
      ...['count', 'results', 'failed', 'failures'].map((name) => ({
        expression: `${id}.${name}`,
      })),
    ];
  }
  if (step.wait_for_event !== undefined) {
    return [own, { expression: `${id}.timed_out` }, { expression: `${id}.event` }];
  }
  if (typeof tool !== 'string') return [own];
  return [own, ...members(id, schemas.get(tool), 2)];
}

function members(prefix: string, schema: unknown, depth: number): Output[] {
  if (depth === 0 || !isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, inner]) => {
    const expression = `${prefix}.${name}`;
    const about = isObject(inner) ? inner.description : undefined;
    const own = { expression, ...(typeof about === 'string' && { about }) };
    return [own, ...members(expression, inner, depth - 1)];
  });
}
