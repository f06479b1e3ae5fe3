import { AppError } from '../../errors/app-error.js';
import { isObject } from '../definitions/step-fields.js';
import type { ScannedValue } from './json-scan.js';

/** Is a value of a large payload that expressions cannot read. `start` and `end` are bytes of the payload. */
export interface LargeValue {
  readonly kind: ScannedValue['kind'];
  readonly start: number;
  readonly end: number;
  /** Counts the items of a list. */
  readonly items: number;
}

/** Is stored with a run whose payload is kept as a file. */
export interface LargePayload {
  /** Begins the texts that stand for large values. It is random, so no text of a sender begins with it. */
  readonly nonce: string;
  /** Is the size of the payload. */
  readonly bytes: number;
}

/** Maps lists and objects to their members that are large, by name. */
const largeMembers = new WeakMap<object, Map<string, LargeValue>>();

/** Returns the JSON text that stands for a large value. */
export function largeValueText({ kind, start, end, items }: LargeValue, nonce: string): string {
  return JSON.stringify(`${nonce}:${kind}:${start}:${end}:${items}`);
}

/**
 * Replaces the texts that stand for large values, in the value itself. Reading such a member throws `invalid_arguments`
 * with its size. Without this, a step would take the text for the value.
 */
export function guardLargeValues(payload: unknown, { nonce }: LargePayload): unknown {
  guardMembers(payload, nonce, 'trigger.payload');
  return payload;
}

/** Returns the large value at these names of members, or undefined for any other value. */
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

function guardMembers(value: unknown, nonce: string, path: string): void {
  if (Array.isArray(value)) {
    for (const index of value.keys()) guardMember(value, String(index), nonce, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) guardMember(value, name, nonce, `${path}.${name}`);
  }
}

function guardMember(around: object, name: string, nonce: string, path: string): void {
  const member = (around as Record<string, unknown>)[name];
  const large = typeof member === 'string' ? parseLargeValue(member, nonce) : undefined;
  if (!large) return guardMembers(member, nonce, path);
  const members = largeMembers.get(around) ?? new Map<string, LargeValue>();
  largeMembers.set(around, members.set(name, large));
  Object.defineProperty(around, name, {
    enumerable: true,
    get: () => {
      throw AppError.invalid(unreadable(path, large));
    },
  });
}

function parseLargeValue(text: string, nonce: string): LargeValue | undefined {
  if (!text.startsWith(`${nonce}:`)) return undefined;
  const [kind, start, end, items] = text.slice(nonce.length + 1).split(':');
  return {
    kind: kind as LargeValue['kind'],
    start: Number(start),
    end: Number(end),
    items: Number(items),
  };
}

function unreadable(path: string, { kind, start, end }: LargeValue): string {
  const advice =
    kind === 'list'
      ? 'Loop over it with for_each, or send the whole payload with http_request.'
      : 'Send the whole payload with http_request.';
  const shown = path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path;
  return `${shown} has ${end - start} bytes, which is too large for an expression. ${advice}`;
}

const EXPRESSION =
  /^\{\{-?\s*trigger\.payload((?:\.[A-Za-z_][\w-]*|\[(?:\d+|"[^"]*"|'[^']*')\])*)\s*-?\}\}$/;
const MEMBER = /\.([\w-]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/** Returns the names of members in an expression such as `{{ trigger.payload.order.lines }}`, or undefined for any other text. */
export function payloadPath(text: unknown): string[] | undefined {
  const path = typeof text === 'string' ? EXPRESSION.exec(text.trim())?.[1] : undefined;
  if (path === undefined) return undefined;
  return [...path.matchAll(MEMBER)].map((names) => names.slice(1).find((name) => name != null)!);
}
