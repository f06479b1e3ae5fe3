import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Batcher } from './batcher.js';

function recorder(finish: () => Promise<void> = async () => undefined) {
  const groups: string[] = [];
  const gatherings = new Batcher<string, string>(
    async (key, items) => {
      const group = `${key}: ${items.join(' ')}`;
      groups.push(group);
      await finish();
      return group;
    },
    3,
    (item) => item.length,
  );
  return { groups, gatherings };
}

describe('Gatherings', () => {
  it('brings together what comes in the same moment, of one key, and tells each its place', async () => {
    const { groups, gatherings } = recorder();
    const added = await Promise.all([
      gatherings.add('x', 'a'),
      gatherings.add('y', 'b'),
      gatherings.add('x', 'c'),
    ]);
    expect(added).toEqual([
      { result: 'x: a c', index: 0 },
      { result: 'y: b', index: 0 },
      { result: 'x: a c', index: 1 },
    ]);
    expect(groups).toEqual(['x: a c', 'y: b']);
  });

  it('gathers what comes while the group before is under way', async () => {
    let end = (): void => undefined;
    const { groups, gatherings } = recorder(() => new Promise((resolve) => (end = resolve)));
    const first = gatherings.add('x', 'a');
    while (groups.length === 0) await sleep(0);
    const others = [gatherings.add('x', 'b'), gatherings.add('x', 'c')];
    end();
    await first;
    while (groups.length === 1) await sleep(0);
    end();
    await Promise.all(others);
    expect(groups).toEqual(['x: a', 'x: b c']);
  });

  it('does not wait for ever for a group that hangs', async () => {
    let isFirst = true;
    const { gatherings } = recorder(async () => {
      if (!isFirst) return;
      isFirst = false;
      await new Promise(() => undefined);
    });
    void gatherings.add('x', 'a');
    await sleep(1);
    expect((await gatherings.add('x', 'b')).result).toBe('x: b');
  });

  it('takes no more than a group may weigh, but one of any weight', async () => {
    const { groups, gatherings } = recorder();
    await Promise.all(['aa', 'bb', 'c', 'dddd', 'e'].map((item) => gatherings.add('x', item)));
    expect(groups).toEqual(['x: aa', 'x: bb c', 'x: dddd', 'x: e']);
  });

  it('tells everybody in the group of its failure, and goes on with the next', async () => {
    let isBad = true;
    const { gatherings } = recorder(async () => {
      if (isBad) throw new Error('bad');
    });
    const both = [gatherings.add('x', 'a'), gatherings.add('x', 'b')];
    for (const one of both) await expect(one).rejects.toThrow('bad');
    isBad = false;
    expect((await gatherings.add('x', 'c')).result).toBe('x: c');
  });
});
