import { AppError } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';

const MAX_BYTES = 16 * 1024;

/** What a condition may refer to besides the event, by the names of the run's scope. */
type Scope = Readonly<Record<string, unknown>>;

/**
 * The values that a condition takes from the run, and no more, so that it can be held against many events without the
 * run. Throws `invalid_arguments` when they are too large to keep.
 */
export function bindCondition(
  condition: string,
  scope: object,
  liquid: LiquidSandbox,
): Record<string, unknown> {
  const bindings: Record<string, unknown> = {};
  for (const reference of liquid.conditionReferences(condition)) {
    const [root, ...rest] = reference.split('.');
    if (root !== 'event') bind(bindings, scope as Scope, [root!, ...rest]);
  }
  if (Buffer.byteLength(JSON.stringify(bindings)) > MAX_BYTES) {
    throw AppError.invalid(`The values that "if" refers to are larger than ${MAX_BYTES} bytes.`);
  }
  return bindings;
}

/** Copies the value at a path. What is no object on the way, such as a list whose `size` is asked for, is copied whole. */
function bind(target: Record<string, unknown>, source: Scope, path: readonly string[]): void {
  const [name, ...rest] = path;
  if (name === undefined || !Object.hasOwn(source, name)) return;
  const value = source[name];
  const isDeeper = rest.length > 0 && isRecord(value) && Object.hasOwn(value, rest[0]!);
  if (!isDeeper) {
    target[name] = value;
    return;
  }
  const known = Object.hasOwn(target, name) ? target[name] : undefined;
  // The whole of it was copied for another reference.
  if (known === value) return;
  const inside = isRecord(known) ? known : {};
  target[name] = inside;
  bind(inside, value, rest);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
