import { describe, expect, it } from 'vitest';
import { FaultList } from './fault-list.js';

describe(FaultList, () => {
  it('keeps the first 20 faults and counts the other faults', () => {
    const faults = new FaultList();
    for (let index = 0; index < 25; index += 1)
      faults.push({ path: `p${index}`, message: 'is wrong' });
    expect(faults.length).toBe(25);
    expect(faults.first.map(({ path }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => `p${index}`),
    );
  });

  it('computes only the messages of the faults that are kept', () => {
    const faults = new FaultList();
    let computed = 0;
    const message = (): string => `is wrong for the ${(computed += 1)}. time`;
    for (let index = 0; index < 1000; index += 1) faults.push({ path: 'p', message });
    expect(computed).toBe(20);
  });

  it('appends the faults of another list, and adds the number of these faults', () => {
    const [one, other] = [new FaultList(), new FaultList()];
    one.push({ path: 'a', message: 'is wrong' });
    for (let index = 0; index < 30; index += 1) other.push({ path: 'b', message: 'is wrong' });
    one.append(other);
    expect([one.length, one.first.length]).toEqual([31, 20]);
  });
});
