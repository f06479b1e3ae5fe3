import { AppError } from '../errors/app-error.js';

/** Computes a result from some items of a list. The result may be a generator of LiquidJS. */
export type PageFilter = (items: unknown[]) => unknown;

/**
 * A value in a scope that is too large to be in memory, such as a large list of a payload. Expressions see it as a list
 * or object.
 */
export interface DistantValue {
  /**
   * Returns the whole value. Throws {@link DistantRead} until it is in memory, and `invalid_arguments` if it is too
   * large.
   */
  readonly whole: () => unknown;
  /**
   * Returns the result of a filter for a list. `apply` gets the items page by page, and `join` puts the results
   * together. `key` identifies the filter with its arguments. The method is undefined for values that are not read page
   * by page.
   */
  readonly filtered?: (key: string, apply: PageFilter, join: JoinPages) => unknown;
}

export type JoinPages = (before: unknown, page: unknown) => unknown;

/**
 * The error of an expression that needs a value that is not in memory. `LiquidSandbox` loads the value and evaluates
 * the expression again. Other code that reads the value gets this error, whose message says that the value is too
 * large.
 */
export class DistantRead extends AppError {
  constructor(
    message: string,
    /** Loads the value and returns how many bytes it has. */
    readonly load: () => Promise<number>,
  ) {
    super('invalid_arguments', message);
  }
}

const distantValues = new WeakMap<object, DistantValue>();

/** Registers an object that represents a distant value in a scope. */
export function registerDistant<T extends object>(object: T, value: DistantValue): T {
  distantValues.set(object, value);
  return object;
}

export function distantOf(value: unknown): DistantValue | undefined {
  return typeof value === 'object' && value !== null ? distantValues.get(value) : undefined;
}

/**
 * Returns the value. For an object that represents a distant value, returns the whole distant value. Throws as {@link
 * DistantValue.whole} does.
 */
export function wholeOf(value: unknown): unknown {
  const distant = distantOf(value);
  return distant ? distant.whole() : value;
}
