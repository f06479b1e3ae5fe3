import { describe, expect, it, vi } from 'vitest';
import type { ApiKeysRepository, FoundKey } from './api-keys.repository.js';
import { KeyLookUps } from './key-look-ups.js';

interface Asked {
  hashes: ReadonlyMap<string, Buffer>;
  answer: (found?: FoundKey) => void;
  fail: (error: Error) => void;
}

/** Look-ups of which each statement is answered when the test says so, as if every hash had that key. */
function start(): { lookUps: KeyLookUps; asked: Asked[] } {
  const asked: Asked[] = [];
  const findByHashes: ApiKeysRepository['findByHashes'] = (hashes) =>
    new Promise((done, fail) => {
      const answer = (found?: FoundKey) =>
        done(new Map(found ? [...hashes.keys()].map((name) => [name, found]) : []));
      asked.push({ hashes, answer, fail });
    });
  return { lookUps: new KeyLookUps({ findByHashes } as ApiKeysRepository), asked };
}

const KEY: FoundKey = {
  id: 'key_1',
  organization_id: 'org_1',
  stale: false,
  policies: null,
  offered_revisions: null,
};
const A = Buffer.from('a');
const B = Buffer.from('b');
const soon = () => new Promise((done) => setImmediate(done));

describe(KeyLookUps.name, () => {
  it('asks once for all that come in the same moment, and once for each key', async () => {
    const { lookUps, asked } = start();
    const found = [lookUps.find(A), lookUps.find(B), lookUps.find(Buffer.from('a'))];
    await soon();
    expect(asked.map(({ hashes }) => [...hashes.values()])).toEqual([[A, B]]);
    asked[0]!.answer(KEY);
    expect(await Promise.all(found)).toEqual([KEY, KEY, KEY]);
  });

  it('asks anew for whoever comes once a statement is under way', async () => {
    const { lookUps, asked } = start();
    const earlier = lookUps.find(A);
    await soon();
    expect(asked).toHaveLength(1);
    // The key is revoked, and the answer of the first statement is still on its way.
    const later = lookUps.find(A);
    asked[0]!.answer(KEY);
    expect(await earlier).toBe(KEY);
    await soon();
    asked[1]!.answer();
    expect(await later).toBeUndefined();
  });

  it('asks once for all that come while a statement is under way, when that is answered', async () => {
    const { lookUps, asked } = start();
    const first = lookUps.find(A);
    await soon();
    const second = lookUps.find(A);
    await soon();
    const third = lookUps.find(B);
    asked[0]!.answer(KEY);
    await first;
    await soon();
    expect(asked.map(({ hashes }) => [...hashes.values()])).toEqual([[A], [A, B]]);
    asked[1]!.answer();
    expect(await Promise.all([second, third])).toEqual([undefined, undefined]);
  });

  it('does not wait for a statement that hangs', async () => {
    const { lookUps, asked } = start();
    void lookUps.find(A);
    await soon();
    const second = lookUps.find(B);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1]!.answer(KEY);
    expect(await second).toBe(KEY);
  });

  it('goes on after a statement that failed', async () => {
    const { lookUps, asked } = start();
    const first = lookUps.find(A);
    await soon();
    const second = lookUps.find(B);
    asked[0]!.fail(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await soon();
    asked[1]!.answer(KEY);
    expect(await second).toBe(KEY);
  });
});
