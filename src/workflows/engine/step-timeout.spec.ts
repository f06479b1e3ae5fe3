import { describe, expect, it } from 'vitest';
import { codeTimeoutOf, toolTimeoutOf } from './step-timeout.js';

/** Timeouts that only SQL of a tool can store. */
const INVALID: unknown[] = [0, -5, '60', null, [60], {}];

describe(codeTimeoutOf, () => {
  it('is the timeout of the step, at most 10 s, and by default 1 s', () => {
    expect([0.1, 2.5, 10, 11, 1e9, Infinity].map(codeTimeoutOf)).toEqual([
      0.1, 2.5, 10, 10, 10, 10,
    ]);
    expect(codeTimeoutOf(undefined)).toBe(1);
    expect(INVALID.map(codeTimeoutOf)).toEqual(INVALID.map(() => 1));
  });
});

describe(toolTimeoutOf, () => {
  it('is at most 300 s for an external tool, and by default 60 s', () => {
    const ofExternal = (timeout: unknown): number => toolTimeoutOf(true, timeout);
    expect([1, 300, 301, 1e9].map(ofExternal)).toEqual([1, 300, 300, 300]);
    expect([undefined, ...INVALID].map(ofExternal)).toEqual([60, ...INVALID.map(() => 60)]);
  });

  it('is at most 25 s for another tool, also by default', () => {
    const ofInternal = (timeout: unknown): number => toolTimeoutOf(false, timeout);
    expect([1, 25, 26, 1e9].map(ofInternal)).toEqual([1, 25, 25, 25]);
    expect([undefined, ...INVALID].map(ofInternal)).toEqual([25, ...INVALID.map(() => 25)]);
  });
});
