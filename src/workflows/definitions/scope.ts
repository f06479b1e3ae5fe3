import { AppError } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { minJsonLength } from '../../text/json-length.js';
import { MAX_VALUE_BYTES } from '../../text/value-size.js';
import type { Step } from './definition.js';
import { isDynamic } from './step-fields.js';
import { CODE } from './steps/code-step.js';
import { withUnreadable } from './unreadable.js';

const MAX_MS = 500;

/**
 * Evaluates the expressions of one step. The limits apply to all these expressions together, because a step may have
 * thousands of expressions.
 */
interface StepEvaluation {
  readonly organizationId: string;
  readonly scope: object;
  readonly liquid: LiquidSandbox;
  readonly time: { leftMs: number };
  /** The number of bytes that are left of `maxBytes`. */
  bytes: number;
  readonly maxBytes: number;
}

/**
 * Returns the output of a step with the fields of its resource. When exactly one member of the output is a resource (an
 * object with an id), the fields of the resource are added. For example, a step `contact` has the output `{contact,
 * created}`. Then `contact.id`, `contact.contact.id` and `contact.created` all work. On a collision the member of the
 * output is used.
 */
function stepValue(output: object | null): object | null {
  if (output === null) return null;
  const resources = Object.values(output).filter(isResource);
  return resources.length === 1 ? { ...resources[0], ...output } : output;
}

/** Returns the value that expressions see under the id of a step that succeeded or was skipped. */
export function stepVariable(step: { tool: string | null; output: object | null }): object | null {
  if (step.tool === CODE) return step.output;
  const value = stepValue(step.output);
  // Only loops and steps that run workflows can have members that are too large.
  return step.tool === null ? withUnreadable(value) : value;
}

function isResource(value: unknown): value is { id: string } {
  return isJsonObject(value) && Object.hasOwn(value, 'id') && typeof value.id === 'string';
}

/**
 * Replaces every expression in the arguments by its value. Text that is exactly one expression becomes a value of the
 * expression's type. Throws `invalid_arguments` when an expression fails or the result is larger than `maxBytes`, by
 * default 1.5 MiB.
 */
export async function renderArguments(
  organizationId: string,
  given: Record<string, unknown>,
  scope: object,
  liquid: LiquidSandbox,
  maxBytes = MAX_VALUE_BYTES,
): Promise<Record<string, unknown>> {
  const time = { leftMs: MAX_MS };
  const evaluation = { organizationId, scope, liquid, time, bytes: maxBytes, maxBytes };
  const rendered = (await renderValue(given, evaluation)) as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(rendered)) > maxBytes) throw tooLarge(maxBytes);
  return rendered;
}

async function renderValue(value: unknown, evaluation: StepEvaluation): Promise<unknown> {
  if (typeof value === 'string') {
    return isDynamic(value) ? await evaluate(value, evaluation) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await renderValue(item, evaluation));
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    members.push([key, await renderValue(item, evaluation)]);
  }
  return Object.fromEntries(members);
}

async function evaluate(text: string, evaluation: StepEvaluation): Promise<unknown> {
  const { organizationId, scope, liquid, time } = evaluation;
  const value = (await liquid.evaluate(organizationId, text, scope, time)) ?? null;
  // The value may contain the same large value many times, so it is not written as JSON yet.
  evaluation.bytes -= minJsonLength(value, evaluation.bytes);
  if (evaluation.bytes < 0) throw tooLarge(evaluation.maxBytes);
  return value;
}

function tooLarge(maxBytes: number): AppError {
  return AppError.invalid(`The arguments of the step are larger than ${maxBytes} bytes.`);
}

const referenceCache = new WeakMap<Step, Map<string, boolean>>();

/**
 * Returns true when an expression of the step may read the variable. When it returns false, callers need not query the
 * value of the variable.
 */
export function mayReference(step: Step, variable: string): boolean {
  const cache = referenceCache.get(step) ?? new Map<string, boolean>();
  referenceCache.set(step, cache);
  const isFound =
    cache.get(variable) ?? collectTexts(step).some((text) => hasReference(text, variable));
  cache.set(variable, isFound);
  return isFound;
}

function hasReference(text: string, variable: string): boolean {
  // Members (`look_up.contact`) and parts of other names (`contact_id`) do not match. `[...]` without a value before it
  // matches, because it computes the name of a variable.
  return new RegExp(`(?<![\\w.-])${variable}(?![\\w-])|(?<![\\w\\]])\\[`).test(text);
}

/** Returns every text value at any depth. Names of members are left out, because they contain no expressions. */
export function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(collectTexts);
}
