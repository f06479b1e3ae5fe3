import { registerDistant } from '../../liquid/distant-values.js';
import type { LargeReads } from './large-reads.js';
import type { LargeValue } from './large-value.js';

/** LiquidJS looks for methods with these names at every value. JSON has no methods, so nothing is read for them. */
const METHODS = new Set(['equals', 'next', 'then', 'throw', 'toJSON', 'toLiquid', 'valueOf']);
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Returns what expressions see of a large list or object: its members are read when they are asked for. */
export function distantValue(reads: LargeReads, large: LargeValue, path: string): object {
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
  reads: LargeReads,
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
  reads: LargeReads,
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
