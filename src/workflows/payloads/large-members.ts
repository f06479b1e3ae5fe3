import { AppError } from '../../errors/app-error.js';
import { registerDistant, wholeOf } from '../../liquid/distant-values.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { MAX_VALUE_BYTES } from '../../text/value-size.js';
import { LargeReads, type PayloadSource } from './large-reads.js';
import { type LargePayload, type LargeValue, parseLargeValue, unreadable } from './large-value.js';

/** The large members of lists and objects, by their names. */
const largeMembers = new WeakMap<object, Map<string, LargeValue>>();
const readsOfPayloads = new WeakMap<object, LargeReads>();

/** The nonce of the texts that stand for large values, and the object that reads these values. */
interface Guarding {
  readonly nonce: string;
  readonly reads: LargeReads;
}

interface Contents {
  bytes: number;
  first?: { readonly large: LargeValue; readonly path: string };
}

/**
 * Replaces, in the given value itself, the texts that stand for large values. Reading a replaced member throws
 * `invalid_arguments` with its size, until {@link makeReadable} gives access to its bytes. Without this, a step would
 * use the text in place of the value.
 */
export function guardLargeValues(payload: unknown, { nonce }: LargePayload): unknown {
  const reads = new LargeReads();
  if (isJsonObject(payload)) readsOfPayloads.set(payload, reads);
  guardMembers(payload, { nonce, reads }, 'trigger.payload');
  return payload;
}

/** Lets expressions read the large values of a guarded payload. */
export function makeReadable(payload: unknown, source: PayloadSource): void {
  const reads = isJsonObject(payload) ? readsOfPayloads.get(payload) : undefined;
  if (reads) reads.source ??= source;
}

/** Returns the large value at this path of member names, or undefined for any other value. */
export function findLargeValue(payload: unknown, names: readonly string[]): LargeValue | undefined {
  let value: unknown = payload;
  for (const [index, name] of names.entries()) {
    if (typeof value !== 'object' || value === null) return undefined;
    const large = largeMembers.get(value)?.get(name);
    if (large) return index === names.length - 1 ? large : undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return undefined;
}

/**
 * Guards the large members of a value. Returns the total bytes of the large values inside the value, and the first
 * large value.
 */
function guardMembers(value: unknown, guarding: Guarding, path: string): Contents {
  const contents: Contents = { bytes: 0 };
  if (typeof value !== 'object' || value === null) return contents;
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    const memberPath = isList ? `${path}[${name}]` : `${path}.${name}`;
    const { bytes, first } = guardMember(value, name, guarding, memberPath);
    contents.bytes += bytes;
    contents.first ??= first;
  }
  const { bytes, first } = contents;
  if (!first) return contents;
  registerDistant(value, {
    whole: () => {
      if (bytes > MAX_VALUE_BYTES) throw AppError.invalid(unreadable(first.path, first.large));
      return copyOf(value);
    },
  });
  return contents;
}

function guardMember(around: object, name: string, guarding: Guarding, path: string): Contents {
  const member = (around as Record<string, unknown>)[name];
  const large = typeof member === 'string' ? parseLargeValue(member, guarding.nonce) : undefined;
  if (!large) return guardMembers(member, guarding, path);
  const members = largeMembers.get(around) ?? new Map<string, LargeValue>();
  largeMembers.set(around, members.set(name, large));
  Object.defineProperty(around, name, {
    enumerable: true,
    get: () => guarding.reads.valueOf(large, path),
  });
  return { bytes: large.end - large.start, first: { large, path } };
}

/** Returns a copy of a list or object with its large values. */
function copyOf(value: object): unknown {
  if (Array.isArray(value)) return value.map(wholeOf);
  const members: [string, unknown][] = Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [name, wholeOf(member)]));
}
