import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LastingSignals } from './lasting-signals.js';

describe('LastingSignals', () => {
  it('shares a signal among some, and never among all', () => {
    const signals = new LastingSignals();
    const given = Array.from({ length: 1000 }, () => signals.next());
    expect(new Set(given).size).toBe(4);
    expect(given.some(({ aborted }) => aborted)).toBe(false);
  });

  it('lets many listen without a warning', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error): void => void warnings.push(warning);
    process.on('warning', keep);
    const signal = new LastingSignals().next();
    for (let count = 0; count < 100; count += 1) signal.addEventListener('abort', () => undefined);
    await setImmediate();
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });
});
