import { describe, expect, it } from 'vitest';
import { LargeBodySlots } from './large-body-slots.js';

describe(LargeBodySlots, () => {
  const refusal = { code: 'unavailable', retryAfterSeconds: 2 };

  it('limits the bodies of an organization and of the process', () => {
    const slots = new LargeBodySlots();
    const releases = [1, 2, 3].map(() => slots.take('a'));
    expect(() => slots.take('a')).toThrow(expect.objectContaining(refusal));
    for (let count = 0; count < 3; count += 1) slots.take('b');
    expect(() => slots.take('c')).toThrow(expect.objectContaining(refusal));
    releases[0]!();
    slots.take('c');
    expect(() => slots.take('a')).toThrow(expect.objectContaining(refusal));
  });

  it('releases a slot only once, even when its release is called twice', () => {
    const slots = new LargeBodySlots();
    const release = slots.take('a');
    release();
    release();
    for (let count = 0; count < 3; count += 1) slots.take('a');
    expect(() => slots.take('a')).toThrow(expect.objectContaining(refusal));
  });
});
