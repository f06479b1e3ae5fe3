import { AppError } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { Step } from './definition.js';
import { isDynamic, isObject } from './step-fields.js';

const MAX_BYTES = 256 * 1024;
const MAX_MS = 500;

/** Limits all expressions of a step together. Each expression is limited too, but a step may contain thousands. */
interface Budget {
  bytes: number;
  readonly endsAt: number;
}

/**
 * Returns the value that expressions see under the id of a step: its output. When exactly one member of the output is a
 * resource (an object with an id), the fields of the resource are added: after a step `contact` with the output
 * `{contact, created}`, `contact.id`, `contact.contact.id` and `contact.created` all work. On a collision the member of
 * the output is used.
 */
export function stepValue(output: object | null): object | null {
  if (output === null) return null;
  const resources = Object.values(output).filter(isResource);
  return resources.length === 1 ? { ...resources[0], ...output } : output;
}

function isResource(value: unknown): value is { id: string } {
  return isObject(value) && Object.hasOwn(value, 'id') && typeof value.id === 'string';
}

/**
 * Replaces every expression in the arguments by its value. Text that is exactly one expression becomes a value of the
 * expression's type. Throws `invalid_arguments` when an expression fails or the result is larger than 256 KiB.
 */
export function renderArguments(
  given: Record<string, unknown>,
  scope: object,
  liquid: LiquidSandbox,
): Record<string, unknown> {
  const budget: Budget = { bytes: MAX_BYTES, endsAt: performance.now() + MAX_MS };
  const rendered = renderValue(given, scope, liquid, budget) as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(rendered)) > MAX_BYTES) throw tooLarge();
  return rendered;
}

function renderValue(
  value: unknown,
  scope: object,
  liquid: LiquidSandbox,
  budget: Budget,
): unknown {
  if (typeof value === 'string') {
    return isDynamic(value) ? evaluate(value, scope, liquid, budget) : value;
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope, liquid, budget));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, renderValue(item, scope, liquid, budget)]),
  );
}

function evaluate(text: string, scope: object, liquid: LiquidSandbox, budget: Budget): unknown {
  if (performance.now() > budget.endsAt) {
    throw AppError.invalid('The expressions of the step take too long to evaluate.');
  }
  const value = liquid.evaluate(text, scope) ?? null;
  budget.bytes -= Buffer.byteLength(JSON.stringify(value));
  if (budget.bytes < 0) throw tooLarge();
  return value;
}

function tooLarge(): AppError {
  return AppError.invalid(`The arguments of the step are larger than ${MAX_BYTES} bytes.`);
}

const referenceCache = new WeakMap<Step, Map<string, boolean>>();

/** Returns true when an expression of the step may read the variable. Otherwise callers need not query its value. */
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
function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(collectTexts);
}
