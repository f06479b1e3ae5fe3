import { setTimeout as sleep } from 'node:timers/promises';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { JoinedSignal } from './signals.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('JoinedSignal', () => {
  it('aborts with the reason of the first signal that aborts', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const joined = new JoinedSignal([one.signal, other.signal], 60_000);
    expect(joined.signal.aborted).toBe(false);
    other.abort('gone');
    one.abort('too late');
    expect(joined.signal.reason).toBe('gone');
    joined.end();
  });

  it('is aborted from the start when one of its signals is already aborted', () => {
    expect(new JoinedSignal([AbortSignal.abort('gone')]).signal.reason).toBe('gone');
  });

  it('aborts at its timeout even after a garbage collection', async () => {
    const waits = Array.from({ length: 5 }, async () => {
      const joined = new JoinedSignal([new AbortController().signal], 50);
      await new Promise((resolve) => joined.signal.addEventListener('abort', resolve));
      return (joined.signal.reason as Error).name;
    });
    await sleep(10);
    for (let count = 0; count < 5; count += 1) collectGarbage();
    expect(await Promise.all(waits)).toEqual(Array.from({ length: 5 }, () => 'TimeoutError'));
  });

  it('removes its timer and listeners when it ends', async () => {
    const { signal } = new AbortController();
    const joined = new JoinedSignal([signal], 10);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    joined.end();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await sleep(30);
    expect(joined.signal.aborted).toBe(false);
  });
});
