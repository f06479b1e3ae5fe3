import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pace } from './notification-sender.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a pace allows a burst, then one action per pause, and never a larger burst', () => {
  const pace = new Pace(3, 10);
  const burst = (): number => {
    let happened = 0;
    for (; pace.isOpen; happened += 1) pace.count();
    return happened;
  };
  expect(burst()).toBe(3);
  vi.advanceTimersByTime(9);
  expect(burst()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(burst()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(burst()).toBe(3);
});

it('a pace allows an action after one pause, even if more actions than the burst were counted', () => {
  const pace = new Pace(1, 10);
  pace.count();
  pace.count();
  vi.advanceTimersByTime(10);
  expect(pace.isOpen).toBe(true);
});
