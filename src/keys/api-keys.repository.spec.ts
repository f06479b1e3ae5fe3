import { describe, expect, it, vi } from 'vitest';
import type { GateDatabase } from '../database/gate-database.js';
import type { TenantDatabase } from '../database/transactions/tenant-database.js';
import { ApiKeysRepository, type FoundKey } from './api-keys.repository.js';

interface Statement {
  readonly hashes: readonly Buffer[];
  /** Answers with `found` for every hash. */
  answer(found?: FoundKey): void;
  fail(error: Error): void;
}

/** Creates a repository with statements that wait until the test answers them. */
function start(): { keys: ApiKeysRepository; statements: Statement[] } {
  const statements: Statement[] = [];
  const callForEach = (_name: string, lists: readonly [Buffer][]): Promise<object[]> =>
    new Promise((resolve, reject) => {
      const hashes = lists.map(([hash]) => hash);
      const answer = (found?: FoundKey): void =>
        resolve(found ? hashes.map((_, position) => ({ ...found, position })) : []);
      statements.push({ hashes, answer, fail: reject });
    });
  const gate = { callForEach } as unknown as GateDatabase;
  return { keys: new ApiKeysRepository({} as TenantDatabase, gate), statements };
}

const KEY: FoundKey = {
  id: 'key_1',
  organization_id: 'org_1',
  stale: false,
  policies: null,
  offered_revisions: null,
  read_only: false,
  tools: null,
  revoked_at: null,
  expired_at: null,
};
const A = Buffer.from('a');
const B = Buffer.from('b');
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe(ApiKeysRepository.name, () => {
  it('looks up all keys of the same moment in one statement, each key once', async () => {
    const { keys, statements } = start();
    const found = [keys.findByHash(A), keys.findByHash(B), keys.findByHash(Buffer.from('a'))];
    await nextTurn();
    expect(statements.map(({ hashes }) => hashes)).toEqual([[A, B]]);
    statements[0]!.answer(KEY);
    const ids = (await Promise.all(found)).map((key) => key?.id);
    expect(ids).toEqual(['key_1', 'key_1', 'key_1']);
  });

  it('sends a new statement for a look-up during another statement', async () => {
    const { keys, statements } = start();
    const earlier = keys.findByHash(A);
    await nextTurn();
    expect(statements).toHaveLength(1);
    // At this point, the key is revoked. The first statement may still find the key, but a later statement must not.
    const later = keys.findByHash(A);
    statements[0]!.answer(KEY);
    expect(await earlier).toMatchObject(KEY);
    await nextTurn();
    statements[1]!.answer();
    expect(await later).toBeUndefined();
  });

  it('joins the look-ups during a statement into the next statement', async () => {
    const { keys, statements } = start();
    const first = keys.findByHash(A);
    await nextTurn();
    const second = keys.findByHash(A);
    await nextTurn();
    const third = keys.findByHash(B);
    statements[0]!.answer(KEY);
    await first;
    await nextTurn();
    expect(statements.map(({ hashes }) => hashes)).toEqual([[A], [A, B]]);
    statements[1]!.answer();
    expect(await Promise.all([second, third])).toEqual([undefined, undefined]);
  });

  it('does not wait for a statement that never ends', async () => {
    const { keys, statements } = start();
    void keys.findByHash(A);
    await nextTurn();
    const second = keys.findByHash(B);
    await vi.waitFor(() => expect(statements).toHaveLength(2));
    statements[1]!.answer(KEY);
    expect(await second).toMatchObject(KEY);
  });

  it('looks up each key alone after the statement for several keys failed', async () => {
    const { keys, statements } = start();
    const [first, second] = [keys.findByHash(A), keys.findByHash(B)];
    await nextTurn();
    statements[0]!.fail(new Error('a row of another organization'));
    await vi.waitFor(() => expect(statements).toHaveLength(3));
    expect(statements.slice(1).map(({ hashes }) => hashes)).toEqual([[A], [B]]);
    statements[1]!.fail(new Error('a row of another organization'));
    statements[2]!.answer(KEY);
    await expect(first).rejects.toThrow('a row of another organization');
    expect(await second).toMatchObject(KEY);
  });

  it('sends no further statements after the connection to the database was lost', async () => {
    const { keys, statements } = start();
    const found = Promise.allSettled([keys.findByHash(A), keys.findByHash(B)]);
    await nextTurn();
    statements[0]!.fail(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    expect((await found).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toHaveLength(1);
  });

  it('continues after a statement that failed', async () => {
    const { keys, statements } = start();
    const first = keys.findByHash(A);
    await nextTurn();
    const second = keys.findByHash(B);
    statements[0]!.fail(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await nextTurn();
    statements[1]!.answer(KEY);
    expect(await second).toMatchObject(KEY);
  });
});
