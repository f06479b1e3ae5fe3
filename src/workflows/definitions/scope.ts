import { AppError } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { isDynamic } from './step-fields.js';

const MAX_BYTES = 256 * 1024;
const MAX_MS = 500;

/** What the expressions of one step may use together: each alone is bounded, but a step may hold thousands. */
interface Budget {
  bytes: number;
  readonly endsAt: number;
}

/**
 * What expressions see of a step: its output. Where exactly one member of the output is a resource, an object with an
 * id, the resource's fields can be reached directly as well: after a step `contact` that gave `{contact, created}`,
 * `contact.id`, `contact.contact.id` and `contact.created` all work. The output's own members win over the resource's.
 */
export function stepValue(output: object | null): object | null {
  if (output === null) return null;
  const resources = Object.values(output).filter(isResource);
  return resources.length === 1 ? { ...resources[0], ...output } : output;
}

function isResource(value: unknown): value is { id: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.hasOwn(value, 'id') &&
    typeof (value as { id?: unknown }).id === 'string'
  );
}

/**
 * The arguments with every expression replaced by its value; a value that is one expression keeps its type. Throws
 * `invalid_arguments` when an expression fails or the result is too large to keep.
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
