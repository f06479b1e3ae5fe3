import { describe, expect, it } from 'vitest';
import { createStepKey } from './step-key.js';

describe(createStepKey, () => {
  it('returns a key that names the run and the step', () => {
    expect(createStepKey('run_1', 'each[2].call', {})).toMatch(
      /^run_1:each\[2\]\.call:[0-9a-f]{16}$/,
    );
  });

  it('returns equal keys only for equal requests', () => {
    const key = (request: unknown): string => createStepKey('run_1', 'call', request);
    expect(key({ a: 1, b: [2] })).toBe(key({ b: [2], a: 1 }));
    const others = [{ a: 1 }, { a: '1' }, { a: null }, { a: [1] }, [1], null];
    expect(new Set(others.map(key)).size).toBe(others.length);
  });

  it('returns at most 255 characters for the longest path', () => {
    expect(createStepKey(`run_${'x'.repeat(22)}`, 'p'.repeat(200), {}).length).toBeLessThan(256);
  });
});
