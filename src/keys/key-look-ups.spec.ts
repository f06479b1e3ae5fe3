import { describe, expect, it } from 'vitest';
import type { ApiKeysRepository, FoundKey } from './api-keys.repository.js';
import { KeyLookUps } from './key-look-ups.js';

type Asked = { hashes: ReadonlyMap<string, Buffer>; answer: (found?: FoundKey) => void };

/** Look-ups of which each statement is answered when the test says so, as if every hash had that key. */
function start(): { lookUps: KeyLookUps; asked: Asked[] } {
  const asked: Asked[] = [];
  const findByHashes: ApiKeysRepository['findByHashes'] = (hashes) =>
    new Promise((done) => {
      const answer = (found?: FoundKey) =>
        done(new Map(found ? [...hashes.keys()].map((name) => [name, found]) : []));
      asked.push({ hashes, answer });
    });
  return { lookUps: new KeyLookUps({ findByHashes } as ApiKeysRepository), asked };
}

const KEY: FoundKey = { id: 'key_1', organization_id: 'org_1', stale: false, policies: null };
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
});
