import { type Read, list, nullable, record, boolean, text } from './reader.js';

const check = record({
  rule: text,
  passed: boolean,
  reason: nullable(text),
  until: nullable(text),
});

/** Reads the result of `explain_send`. */
export const explanation = record({
  outcome: text,
  reason: nullable(text),
  until: nullable(text),
  checks: list(check),
});
export type Explanation = Read<typeof explanation>;
