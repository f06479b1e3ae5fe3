import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Batcher } from './batcher.js';

function recorder(finish: () => Promise<void> = async () => undefined) {
  const batches: string[] = [];
  const batcher = new Batcher<string, string>(
    async (key, items) => {
      const batch = `${key}: ${items.join(' ')}`;
      batches.push(batch);
      await finish();
      return batch;
    },
    { maxWeight: 3, weigh: (item) => item.length },
  );
  return { batches, batcher };
}

describe(Batcher.name, () => {
  it('joins items of one key that are added in the same turn, and returns the index of each', async () => {
    const { batches, batcher } = recorder();
    const added = await Promise.all([
      batcher.add('x', 'a'),
      batcher.add('y', 'b'),
      batcher.add('x', 'c'),
    ]);
    expect(added).toEqual([
      { result: 'x: a c', index: 0 },
      { result: 'y: b', index: 0 },
      { result: 'x: a c', index: 1 },
    ]);
    expect(batches).toEqual(['x: a c', 'y: b']);
  });

  it('joins items that are added while the previous batch is being processed', async () => {
    let end = (): void => undefined;
    const { batches, batcher } = recorder(() => new Promise((resolve) => (end = resolve)));
    const first = batcher.add('x', 'a');
    while (batches.length === 0) await sleep(0);
    const others = [batcher.add('x', 'b'), batcher.add('x', 'c')];
    end();
    await first;
    while (batches.length === 1) await sleep(0);
    end();
    await Promise.all(others);
    expect(batches).toEqual(['x: a', 'x: b c']);
  });

  it('does not wait for a batch that hangs', async () => {
    let isFirst = true;
    const { batcher } = recorder(async () => {
      if (!isFirst) return;
      isFirst = false;
      await new Promise(() => undefined);
    });
    void batcher.add('x', 'a');
    await sleep(1);
    expect((await batcher.add('x', 'b')).result).toBe('x: b');
  });

  it('limits the weight of a batch, and accepts a single item of any weight', async () => {
    const { batches, batcher } = recorder();
    await Promise.all(['aa', 'bb', 'c', 'dddd', 'e'].map((item) => batcher.add('x', item)));
    expect(batches).toEqual(['x: aa', 'x: bb c', 'x: dddd', 'x: e']);
  });

  it('rejects all items of a failed batch, and continues with the next', async () => {
    let isBad = true;
    const { batcher } = recorder(async () => {
      if (isBad) throw new Error('bad');
    });
    const both = [batcher.add('x', 'a'), batcher.add('x', 'b')];
    for (const one of both) await expect(one).rejects.toThrow('bad');
    isBad = false;
    expect((await batcher.add('x', 'c')).result).toBe('x: c');
  });
});
