import { expect, it } from 'vitest';
import { LastingSignals } from './lasting-signals.js';

it('LastingSignals gives 256 requests the same signal, and the next request a new signal', () => {
  const signals = new LastingSignals();
  const given = Array.from({ length: 257 }, () => signals.next());
  expect(new Set(given.slice(0, 256)).size).toBe(1);
  expect(given[256]).not.toBe(given[0]);
});
