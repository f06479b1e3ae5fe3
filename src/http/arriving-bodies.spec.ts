import { describe, expect, it } from 'vitest';
import { ArrivingBodies } from './arriving-bodies.js';

/** The names of the bodies that were ended, in this order. */
const ended: string[] = [];
const bodyOf = (network: string, name: string) => ({
  network,
  end: () => void ended.push(name),
});

describe(ArrivingBodies, () => {
  it('ends the oldest bodies of the network with the most bytes, until the rest is within the limit', () => {
    ended.length = 0;
    const bodies = new ArrivingBodies(100);
    bodies.count(bodyOf('a', 'a1'), 30);
    bodies.count(bodyOf('b', 'b1'), 20);
    bodies.count(bodyOf('b', 'b2'), 25);
    bodies.count(bodyOf('c', 'c1'), 25);
    expect(ended).toEqual([]);
    bodies.count(bodyOf('c', 'c2'), 18);
    expect(ended).toEqual(['b1']);
    bodies.count(bodyOf('c', 'c3'), 40);
    expect(ended).toEqual(['b1', 'c1', 'c2']);
  });

  it('counts a body that grows once, in the order in which the bodies began', () => {
    ended.length = 0;
    const bodies = new ArrivingBodies(100);
    const first = bodyOf('a', 'first');
    bodies.count(first, 10);
    bodies.count(bodyOf('a', 'second'), 40);
    bodies.count(first, 60);
    expect(ended).toEqual([]);
    bodies.count(first, 61);
    expect(ended).toEqual(['first']);
  });

  it('does not count a body after it was removed', () => {
    ended.length = 0;
    const bodies = new ArrivingBodies(100);
    for (let count = 0; count < 10; count += 1) {
      const body = bodyOf('a', 'body');
      bodies.count(body, 100);
      bodies.remove(body);
      bodies.remove(body);
    }
    expect(ended).toEqual([]);
  });
});
