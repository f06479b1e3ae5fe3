import { type JoinPages, type PageFilter, registerDistant } from '../../liquid/distant-values.js';
import type { LargeValue } from './large-value.js';

/** Reads parts of large values. Each method throws `DistantRead` until the part is in memory. */
export interface PartsReader {
  whole(large: LargeValue, path: string): unknown;
  item(list: LargeValue, path: string, index: number): unknown;
  member(object: LargeValue, path: string, name: string): unknown;
  /** Returns a member that is in memory, or undefined. It never throws. */
  knownMember(object: LargeValue, name: string): unknown;
  filtered(
    list: LargeValue,
    path: string,
    key: string,
    apply: PageFilter,
    join: JoinPages,
  ): unknown;
}

/**
 * The names of methods that LiquidJS looks up in every value. JSON has no methods, so nothing is read for these names.
 */
const METHODS = new Set(['equals', 'next', 'then', 'throw', 'toJSON', 'toLiquid', 'valueOf']);
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Returns a large list or object as expressions see it: its members are read at their first use. */
export function distantValue(reads: PartsReader, large: LargeValue, path: string): object {
  const whole = (): unknown => reads.whole(large, path);
  if (large.kind === 'object') {
    return registerDistant(distantObject(reads, large, path, whole), { whole });
  }
  return registerDistant(distantList(reads, large, path, whole), {
    whole,
    filtered: (key, apply, join) => reads.filtered(large, path, key, apply, join),
  });
}

function distantList(
  reads: PartsReader,
  list: LargeValue,
  path: string,
  whole: () => unknown,
): object {
  const indexOf = (key: string | symbol): number | undefined =>
    typeof key === 'string' && INDEX.test(key) ? Number(key) : undefined;
  return new Proxy<unknown[]>([], {
    get: (target, key) => {
      if (key === 'length') return list.items;
      const index = indexOf(key);
      return index === undefined
        ? (Reflect.get(target, key) as unknown)
        : reads.item(list, path, index);
    },
    has: (target, key) => {
      const index = indexOf(key);
      return index === undefined ? Reflect.has(target, key) : index < list.items;
    },
    getOwnPropertyDescriptor: (target, key) => {
      const index = indexOf(key);
      if (index === undefined) return Reflect.getOwnPropertyDescriptor(target, key);
      return index < list.items ? property(reads.item(list, path, index)) : undefined;
    },
    ownKeys: () => Reflect.ownKeys(whole() as unknown[]),
    ...READ_ONLY,
  });
}

function distantObject(
  reads: PartsReader,
  object: LargeValue,
  path: string,
  whole: () => unknown,
): object {
  const member = (name: string): unknown => reads.member(object, path, name);
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_target, key) => {
        if (typeof key === 'symbol') return undefined;
        return METHODS.has(key) ? reads.knownMember(object, key) : member(key);
      },
      has: (_target, key) => typeof key === 'string' && member(key) !== undefined,
      getOwnPropertyDescriptor: (_target, key) => {
        const value = typeof key === 'string' ? member(key) : undefined;
        return value === undefined ? undefined : property(value);
      },
      ownKeys: () => Object.keys(whole() as object),
      ...READ_ONLY,
    },
  );
}

const READ_ONLY = {
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
} satisfies ProxyHandler<object>;

function property(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}
