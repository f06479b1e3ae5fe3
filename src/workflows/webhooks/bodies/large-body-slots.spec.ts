import { describe, expect, it, vi } from 'vitest';
import { LargeBodySlots } from './large-body-slots.js';

describe(LargeBodySlots, () => {
  const refusal = expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 2 });
  const from = (network: string) => ({ network, end: vi.fn() });

  it('limits the bodies of an organization and of the process', () => {
    const slots = new LargeBodySlots();
    const taken = [1, 2, 3].map(() => slots.take('a'));
    expect(() => slots.take('a')).toThrow(refusal);
    for (let count = 0; count < 3; count += 1) slots.take('b');
    expect(() => slots.take('c')).toThrow(refusal);
    taken[0]!.release();
    slots.take('c');
    expect(() => slots.take('a')).toThrow(refusal);
  });

  it('releases a slot only once, even when its release is called twice', () => {
    const slots = new LargeBodySlots();
    const { release } = slots.take('a');
    release();
    release();
    for (let count = 0; count < 3; count += 1) slots.take('a');
    expect(() => slots.take('a')).toThrow(refusal);
  });

  it('gives the slot of the newest arriving body of a network to another network with at least two fewer arriving bodies', () => {
    const slots = new LargeBodySlots();
    const bodies = [1, 2, 3].map(() => from('x'));
    for (const body of bodies) slots.take('a', body);
    expect(() => slots.take('a', from('x'))).toThrow(refusal);
    slots.take('a', from('y'));
    expect(bodies.map(({ end }) => end.mock.calls)).toEqual([[], [], [[refusal]]]);
    // Now the network x has two arriving bodies, and the network y has one.
    expect(() => slots.take('a', from('y'))).toThrow(refusal);
    expect(() => slots.take('a', from('x'))).toThrow(refusal);
    slots.take('a');
    expect(bodies.map(({ end }) => end.mock.calls.length)).toEqual([0, 1, 1]);
  });

  it('ends no body that has arrived, and no body of another organization when an organization has used its own slots', () => {
    const slots = new LargeBodySlots();
    const bodies = [1, 2, 3].map(() => from('x'));
    for (const body of bodies) slots.take('a', body).noteArrival();
    expect(() => slots.take('a', from('y'))).toThrow(refusal);
    const others = [1, 2, 3].map(() => from('x'));
    for (const body of others) slots.take('b', body);
    expect(() => slots.take('a', from('y'))).toThrow(refusal);
    slots.take('c', from('y'));
    expect(others.map(({ end }) => end.mock.calls.length)).toEqual([0, 0, 1]);
  });

  it('never ends the oldest arriving body of a network, even when another network sends many bodies', () => {
    const slots = new LargeBodySlots();
    const bodies = [1, 2, 3].map(() => from('x'));
    for (const body of bodies) slots.take('a', body);
    for (let count = 0; count < 10; count += 1) {
      const stranger = slots.take('a', from('y'));
      stranger.noteArrival();
      stranger.release();
      // The sender repeats its refused body.
      slots.take('a', from('x'));
    }
    expect(bodies.map(({ end }) => end.mock.calls.length)).toEqual([0, 0, 1]);
  });
});
