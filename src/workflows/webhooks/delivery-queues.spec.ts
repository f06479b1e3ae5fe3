import { describe, expect, it } from 'vitest';
import { DeliveryQueues } from './delivery-queues.js';

const countsOf = (queues: DeliveryQueues<number>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { organizationId } of queues.takeAll()) {
    counts[organizationId] = (counts[organizationId] ?? 0) + 1;
  }
  return counts;
};

describe(DeliveryQueues, () => {
  it('keeps the newest items of each group, even if other groups get many items', () => {
    const queues = new DeliveryQueues<number>(10, 2);
    queues.add('org', 'workflow', 'refused', 0);
    for (let item = 1; item <= 100; item += 1) queues.add('org', 'workflow', 'stranger', item);
    const [queue] = queues.takeAll();
    expect(queue!.groups).toEqual({ accepted: [], refused: [0], stranger: [99, 100], test: [] });
    expect(queues.isEmpty).toBe(true);
    expect(queues.takeAll()).toEqual([]);
  });

  it('loses only items of an organization with many workflows, and no items of other organizations', () => {
    const queues = new DeliveryQueues<number>(100, 50);
    queues.add('small', 'first', 'accepted', 1);
    for (let number = 0; number < 500; number += 1) queues.add('large', `${number}`, 'accepted', 1);
    queues.add('late', 'first', 'accepted', 1);
    queues.add('small', 'second', 'accepted', 1);
    expect(countsOf(queues)).toEqual({ small: 2, large: 97, late: 1 });
  });

  it('keeps the items of at most maxQueues workflows', () => {
    const queues = new DeliveryQueues<number>(5, 50);
    for (let number = 0; number < 20; number += 1) queues.add(`${number}`, 'one', 'accepted', 1);
    expect(queues.takeAll()).toHaveLength(5);
  });
});
