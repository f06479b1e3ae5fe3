import type { ScannedValue } from './json-scan.js';

/** A value of a large payload that its outline leaves out. `start` and `end` are positions in the payload, in bytes. */
export interface LargeValue {
  readonly kind: ScannedValue['kind'];
  readonly start: number;
  readonly end: number;
  /** The number of items of a list. */
  readonly items: number;
}

/** The data that is stored with a run whose payload is kept as a file. */
export interface LargePayload {
  /** The beginning of the texts that stand for large values. It is random, so no text of a sender begins with it. */
  readonly nonce: string;
  /** The size of the payload. */
  readonly bytes: number;
}

/** Returns the JSON text that stands for a large value. */
export function largeValueText({ kind, start, end, items }: LargeValue, nonce: string): string {
  return JSON.stringify(`${nonce}:${kind}:${start}:${end}:${items}`);
}

/** Returns the large value that a text of `largeValueText` describes, or undefined for any other text. */
export function parseLargeValue(text: string, nonce: string): LargeValue | undefined {
  if (!text.startsWith(`${nonce}:`)) return undefined;
  const [kind, start, end, items] = text.slice(nonce.length + 1).split(':');
  return {
    kind: kind as LargeValue['kind'],
    start: Number(start),
    end: Number(end),
    items: Number(items),
  };
}

/** Returns the reason why a large value cannot be read as a whole. */
export function unreadable(path: string, { kind, start, end }: LargeValue): string {
  const advice =
    kind === 'list'
      ? 'Read single items, use the filters where, map or sum, loop over it with for_each, or send the whole payload with ' +
        'http_request.'
      : kind === 'object'
        ? 'Read single members, or send the whole payload with http_request.'
        : 'Send the whole payload with http_request.';
  const shown = path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path;
  return `${shown} has ${end - start} bytes, which is too large for an expression. ${advice}`;
}

const EXPRESSION =
  /^\{\{-?\s*trigger\.payload((?:\.[A-Za-z_][\w-]*|\[(?:\d+|"[^"]*"|'[^']*')\])*)\s*-?\}\}$/;
const MEMBER = /\.([\w-]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/**
 * Returns the names of members in an expression such as `{{ trigger.payload.order.lines }}`, or undefined for any other
 * text.
 */
export function payloadPath(text: unknown): string[] | undefined {
  const path = typeof text === 'string' ? EXPRESSION.exec(text.trim())?.[1] : undefined;
  if (path === undefined) return undefined;
  return [...path.matchAll(MEMBER)].map((names) => names.slice(1).find((name) => name != null)!);
}
