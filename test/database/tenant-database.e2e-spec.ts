import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PreparedStatement } from '../../src/database/driver/statement.js';
import { StatementLog } from '../../src/database/statement-log.js';
import { LazyTransaction } from '../../src/database/transactions/lazy-transaction.js';
import type { Pool } from 'pg';
import { ContextSigner } from '../../src/database/transactions/context-signer.js';
import { TenantConnections } from '../../src/database/transactions/tenant-connections.js';
import type { TenantSession } from '../../src/database/transactions/tenant-session.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { IdempotencyKey } from '../../src/tools/idempotency/idempotency-key.entity.js';
import { toLeaseLostError, LeaseLostError } from '../../src/workflows/journal/run-lease.js';
import { allowEndingSessions } from '../support/extra-grants.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { SecurityLog } from '../../src/security/security-log.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

// Does not use `prepared`, which refuses a name that another test file in the same process has used.
const named = (name: string, text: string): PreparedStatement => ({ name, text });
const INSERT_KEY = `insert into idempotency_keys (organization_id, tool, key, fingerprint)
  values ($1, 'test', $2, 'x')`;
const INSERT = named('test_insert', INSERT_KEY);
const INSERT_SKIPPED = named('test_insert_skipped', INSERT_KEY);
const FAIL = named('test_fail', 'select 1 / 0');
const LOSE_LEASE = named('test_lose_lease', 'select assert_lease(0)');
const END_BACKEND = named('test_end_backend', 'select pg_terminate_backend(pg_backend_pid())');

let switchboard: Switchboard;
let tenants: TenantDatabase;
let acme: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard();
  tenants = switchboard.app.get(TenantDatabase, { strict: false });
  acme = await createOrganization(switchboard);
  other = await createOrganization(switchboard);
  await allowEndingSessions(switchboard);
});
afterAll(() => switchboard.close());

describe(TenantDatabase.name, () => {
  it('joins a transaction of the same organization, with one commit or rollback', async () => {
    await expect(
      tenants.transaction(acme.id, async () => {
        const outer = await transactionId();
        await tenants.transaction(acme.id, async () => {
          expect(await transactionId()).toBe(outer);
          await claim('joined');
        });
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    expect(await stored('joined')).toBe(false);
  });

  it('turns off the just-in-time compilation of PostgreSQL', async () => {
    const settings = await tenants.transaction(acme.id, () =>
      tenants.session(acme.id).query(`select current_setting('jit') as jit`),
    );
    expect(settings).toEqual([{ jit: 'off' }]);
  });

  it('throws inside a transaction of another organization', async () => {
    const nested = tenants.transaction(acme.id, () =>
      tenants.transaction(other.id, async () => undefined),
    );
    await expect(nested).rejects.toThrow('pass call.organizationId');
    const session = tenants.transaction(acme.id, async () => tenants.session(other.id));
    await expect(session).rejects.toThrow('pass call.organizationId');
    expect(() => tenants.session(acme.id)).toThrow('Use session() and repository()');
  });

  it('runs the actions of afterCommit() after the commit, and not after a rollback', async () => {
    const seen: string[] = [];
    let visible: Promise<boolean> | undefined;
    await tenants.transaction(acme.id, async () => {
      await claim('committed');
      tenants.afterCommit(() => {
        seen.push('after');
        visible = stored('committed');
      });
      seen.push('work');
      expect(await stored('committed')).toBe(false);
    });
    expect(seen).toEqual(['work', 'after']);
    expect(await visible).toBe(true);
    const failed = tenants.transaction(acme.id, async () => {
      tenants.afterCommit(() => seen.push('never'));
      throw new Error('undo');
    });
    await expect(failed).rejects.toThrow('undo');
    expect(seen).toEqual(['work', 'after']);
    expect(() => tenants.afterCommit(() => undefined)).toThrow(
      'Call afterCommit() of TenantDatabase inside',
    );
  });

  it('returns the start time of the transaction by the database clock, before and after its first statement', async () => {
    const began = async (): Promise<Date> => {
      const [row] = await tenants
        .session(acme.id)
        .query<{ now: Date }>(`select now()::timestamptz(3) as now`);
      return row!.now;
    };
    await tenants.transaction(acme.id, async () => {
      const now = await tenants.session(acme.id).now();
      expect(await began()).toEqual(now);
      expect(await tenants.session(acme.id).now()).toEqual(now);
    });
    await tenants.transaction(acme.id, async () => {
      expect(await began()).toEqual(await tenants.session(acme.id).now());
    });
    await tenants.transaction(acme.id, async () => {
      const [first, now, second] = await Promise.all([
        began(),
        tenants.session(acme.id).now(),
        began(),
      ]);
      expect(now).toEqual(first);
      expect(second).toEqual(first);
    });
    await tenants.dryRun(acme.id, () =>
      tenants.transaction(acme.id, async () => {
        expect(await began()).toEqual(await tenants.session(acme.id).now());
      }),
    );
    const late = await tenants.transaction(
      acme.id,
      async () => async () => await tenants.session(acme.id).now(),
    );
    await expect(late()).rejects.toThrow('Use session() and repository() of TenantDatabase');
  });

  it('rejects writes in a read-only transaction', async () => {
    const write = tenants.transaction(acme.id, () => claim('read only'), { readOnly: true });
    await expect(write).rejects.toThrow('Remove readOnly: true from the tool');
    const nested = tenants.transaction(
      acme.id,
      () => tenants.transaction(acme.id, async () => undefined),
      { readOnly: true },
    );
    await expect(nested).rejects.toThrow('cannot join');
    // The connection of the rejected write returns to the pool and can write again.
    await tenants.transaction(acme.id, () => claim('after read only'));
    expect(await stored('after read only')).toBe(true);
  });

  it('leaves no context on connections of the pool, so each transaction sees only its organization', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => (index % 2 ? acme.id : other.id));
    const seen = await Promise.all(
      ids.map((id) =>
        tenants.transaction(id, async () => {
          const rows = await tenants
            .session(id)
            .query<{ id: string }>('select distinct organization_id as id from audit_log');
          return rows.map((row) => row.id);
        }),
      ),
    );
    expect(seen).toEqual(ids.map((id) => [id]));
  });

  it('uses another connection when the server has ended the next one of the pool', async () => {
    // At least two connections are idle. The pool returns the connection that was used last, which is dead.
    await Promise.all(
      Array.from({ length: 4 }, () =>
        tenants.transaction(acme.id, () => tenants.session(acme.id).query('select pg_sleep(0.05)')),
      ),
    );
    for (let round = 0; round < 10; round += 1) {
      const pid = await tenants.transaction(acme.id, backendPid);
      await endBackend(pid);
      expect(await tenants.transaction(acme.id, backendPid)).not.toBe(pid);
    }
  });

  it('throws unavailable and commits nothing when the connection ends during a statement', async () => {
    const cut = tenants.transaction(acme.id, async () => {
      await claim('in flight');
      await endBackend(await backendPid());
      await claim('too late');
    });
    await expect(cut).rejects.toMatchObject({ name: 'AppError', code: 'unavailable' });
    expect(await stored('in flight')).toBe(false);
    expect(await tenants.transaction(acme.id, async () => 'done')).toBe('done');
  });

  it('sends deferred statements in order, with the next statement or before the commit', async () => {
    await tenants.transaction(acme.id, async () => {
      defer('deferred 1');
      await claim('deferred 2');
      expect(await claimed()).toEqual(['deferred 1', 'deferred 2']);
      defer('deferred 3');
    });
    expect(await stored('deferred 3')).toBe(true);
    await tenants.transaction(acme.id, async () => defer('deferred 4'));
    expect(await stored('deferred 4')).toBe(true);
  });

  it('sends deferred statements with the commit, except those of a savepoint that was rolled back', async () => {
    await tenants.transaction(acme.id, async () => {
      defer('kept 1');
      await tenants.savepoint(acme.id, async () => defer('kept 2'));
      const unsent = tenants.savepoint(acme.id, async () => {
        defer('undone before');
        throw new Error('undo');
      });
      await expect(unsent).rejects.toThrow('undo');
      const sent = tenants.savepoint(acme.id, async () => {
        defer('undone after');
        await claimed();
        throw new Error('undo');
      });
      await expect(sent).rejects.toThrow('undo');
      defer('kept 3');
    });
    for (const key of ['kept 1', 'kept 2', 'kept 3']) {
      expect([key, await stored(key)]).toEqual([key, true]);
    }
    expect(await stored('undone before')).toBe(false);
    expect(await stored('undone after')).toBe(false);
  });

  it('rolls back to the outer of two savepoints after the inner one has succeeded', async () => {
    await tenants.transaction(acme.id, async () => {
      await claim('before the savepoints');
      const outer = tenants.savepoint(acme.id, async () => {
        await claim('in the outer savepoint');
        await tenants.savepoint(acme.id, () => claim('in the inner savepoint'));
        throw new Error('undo');
      });
      await expect(outer).rejects.toThrow('undo');
    });
    expect(await stored('before the savepoints')).toBe(true);
    expect(await stored('in the outer savepoint')).toBe(false);
    expect(await stored('in the inner savepoint')).toBe(false);
  });

  it('ends the session of a savepoint together with the savepoint', async () => {
    await tenants.transaction(acme.id, async () => {
      const session = await tenants.savepoint(acme.id, async () => tenants.session(acme.id));
      await expect(session.query('select 1')).rejects.toThrow('has ended');
      expect(() => session.defer(INSERT, [])).toThrow('has ended');
      await tenants.session(acme.id).query('select 1');
    });
  });

  it('fails with the error of a deferred statement, even when the work catches it', async () => {
    for (const swallow of [true, false]) {
      const work = tenants.transaction(acme.id, async () => {
        await claim('before');
        tenants.session(acme.id).defer(FAIL, []);
        const next = claim('after');
        await (swallow ? next.catch(() => undefined) : next);
        await claim('later still').catch(() => undefined);
      });
      await expect(work).rejects.toThrow('division by zero');
    }
    const alone = tenants.transaction(acme.id, async () =>
      tenants.session(acme.id).defer(FAIL, []),
    );
    await expect(alone).rejects.toThrow('division by zero');
    for (const key of ['before', 'after', 'later still']) {
      expect(await stored(key)).toBe(false);
    }
  });

  it('maps the error of a deferred statement, and throws unavailable for a dead connection', async () => {
    const fail = (deferred: PreparedStatement) =>
      tenants.transaction(acme.id, async () => {
        await claim('never stored');
        tenants.session(acme.id).defer(deferred, [], toLeaseLostError);
      });
    await expect(fail(LOSE_LEASE)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(fail(END_BACKEND)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await stored('never stored')).toBe(false);
  });

  it('fails when the work catches the error of a statement, because nothing was stored', async () => {
    const work = tenants.transaction(acme.id, async () => {
      await claim('before the failure');
      await tenants
        .session(acme.id)
        .query('select 1 / $1::int', [0])
        .catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await stored('before the failure')).toBe(false);
  });

  it('prepares a statement again after the previous statement on the connection failed', async () => {
    const wrong = tenants.transaction(acme.id, async () => {
      tenants.session(acme.id).defer(FAIL, []);
      defer('prepared', INSERT_SKIPPED);
      await claim('never');
    });
    await expect(wrong).rejects.toThrow('division by zero');
    const works = Array.from({ length: 8 }, (_, index) =>
      tenants.transaction(acme.id, async () => {
        defer(`prepared ${index}`, INSERT_SKIPPED);
        await claim(`prepared too ${index}`);
      }),
    );
    await Promise.all(works);
    expect(await stored('never')).toBe(false);
    expect(await stored('prepared 7')).toBe(true);
  });

  it('sends simultaneous statements together, so a failed statement also fails the statements after it', async () => {
    await expect(
      tenants.transaction(acme.id, async () => {
        const session = tenants.session(acme.id);
        const results = await Promise.allSettled([
          session.query('select 1 as value'),
          session.query(FAIL),
          session.query('select 2 as value'),
        ]);
        expect(results).toMatchObject([
          { status: 'fulfilled', value: [{ value: 1 }] },
          { status: 'rejected', reason: { message: 'division by zero' } },
          // A statement that was sent later would fail because the transaction is aborted.
          { status: 'rejected', reason: { message: 'division by zero' } },
        ]);
      }),
    ).rejects.toThrow('nothing was committed');
  });

  it('stays usable when a statement in a savepoint fails while another statement waits for its answer', async () => {
    await tenants.transaction(acme.id, async () => {
      await claim('before savepoint');
      await Promise.allSettled([
        tenants.savepoint(acme.id, async () => {
          await tenants.session(acme.id).query(FAIL);
        }),
        claim('beside savepoint').catch(() => undefined),
      ]);
      await claim('after savepoint');
    });
    expect(await stored('before savepoint')).toBe(true);
    expect(await stored('after savepoint')).toBe(true);
  });

  it('returns the rows of each of several simultaneous statements', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const rows = await tenants.transaction(acme.id, () =>
      Promise.all(
        numbers.map((number) =>
          tenants.session(acme.id).query('select $1::int as number', [number]),
        ),
      ),
    );
    expect(rows.flat()).toEqual(numbers.map((number) => ({ number })));
  });

  it('uses no connection for work that sends no statement', async () => {
    // Each transaction waits until all have begun. If each used a connection, the transactions beyond the pool size
    // would never begin.
    const count = 3 * switchboard.env.databasePoolSize;
    let begun = 0;
    const works = Array.from({ length: count }, () =>
      tenants.transaction(acme.id, async () => {
        begun += 1;
        await waitFor(() => begun === count);
        return tenants.inTransaction;
      }),
    );
    expect(await Promise.all(works)).toEqual(works.map(() => true));
  });

  it.each(['commit', 'rollback'])('rejects statements after the %s', async (end) => {
    for (const used of [false, true]) {
      let session: TenantSession | undefined;
      const work = tenants.transaction(acme.id, async () => {
        session = tenants.session(acme.id);
        if (used) await session.query('select 1');
        if (end === 'rollback') throw new Error('undo');
      });
      await work.catch(() => undefined);
      await expect(session!.query('select 1')).rejects.toThrow('has ended');
    }
  });

  it('reports SQL that the tenant role may not execute', async () => {
    const report = vi.spyOn(switchboard.app.get(SecurityLog), 'report');
    const hostile = tenants.transaction(acme.id, () =>
      tenants.session(acme.id).query('select * from gate.users'),
    );
    await expect(hostile).rejects.toThrow('permission denied');
    expect(report.mock.calls).toEqual([['isolation_failure', { subject: acme.id }]]);
  });

  it('reports SQL that is refused before it is sent, and SQL without privilege, even when a tool catches the error', async () => {
    const report = vi.spyOn(switchboard.app.get(SecurityLog), 'report');
    report.mockClear();
    const ignore = (): void => undefined;
    await tenants.transaction(acme.id, async () => {
      const session = tenants.session(acme.id);
      await session.query('commit').catch(ignore);
      await session.query(`alter role current_user password 'x'`).catch(ignore);
    });
    const caught = (): Promise<unknown> =>
      tenants.session(acme.id).query('select * from gate.users').catch(ignore);
    await tenants.transaction(acme.id, caught, { readOnly: true });
    expect(report.mock.calls).toEqual([
      ['refused_statement', { subject: acme.id }],
      ['refused_statement', { subject: acme.id }],
      ['isolation_failure', { subject: acme.id }],
    ]);
  });

  it('commits when the work has left a savepoint open', async () => {
    await tenants.transaction(acme.id, async () => {
      const { manager } = tenants.session(acme.id).repository(IdempotencyKey);
      await manager.queryRunner!.startTransaction();
      await claim('under a savepoint');
    });
    expect(await stored('under a savepoint')).toBe(true);
  });

  it('fails when it cannot begin, even when the work catches the error', async () => {
    const pool = {
      options: { max: 1, connectionTimeoutMillis: 1000 },
      on: () => pool,
      connect: () => Promise.reject(new Error('no connection')),
    };
    const signer = new ContextSigner(Buffer.from(''));
    const connections = new TenantConnections(
      pool as unknown as Pool,
      signer,
      new StatementLog(false),
    );
    const lazy = new LazyTransaction(connections, acme.id, false);
    await lazy.query({ text: 'select 1', values: [] }, () => false).catch(() => undefined);
    await expect(lazy.commit()).rejects.toThrow('no connection');
    await expect(lazy.rollback()).resolves.toBeUndefined();
  });

  it('throws for a condition without a value instead of dropping the condition', async () => {
    const find = tenants.transaction(acme.id, () =>
      tenants
        .session(acme.id)
        .repository(IdempotencyKey)
        .findOneBy({ organizationId: acme.id, key: undefined as never }),
    );
    await expect(find).rejects.toThrow(/undefined/i);
    const remove = tenants.transaction(acme.id, () =>
      tenants.session(acme.id).repository(IdempotencyKey).delete({ key: undefined }),
    );
    await expect(remove).rejects.toThrow(/undefined|empty/i);
  });
});

/** Ends a server process and waits until it has ended. */
async function endBackend(pid: number): Promise<void> {
  await switchboard.ownerQuery('select pg_terminate_backend($1)', [pid]);
  await waitFor(async () => {
    const left = await switchboard.ownerQuery('select from pg_stat_activity where pid = $1', [pid]);
    return left.length === 0;
  });
}

async function backendPid(): Promise<number> {
  const [row] = await tenants
    .session(acme.id)
    .query<{ pid: number }>('select pg_backend_pid() as pid');
  return row!.pid;
}

async function transactionId(): Promise<string> {
  const [row] = await tenants
    .session(acme.id)
    .query<{ id: string }>('select pg_current_xact_id()::text as id');
  return row!.id;
}

async function claim(key: string): Promise<void> {
  await tenants
    .session(acme.id)
    .repository(IdempotencyKey)
    .insert({
      organizationId: acme.id,
      tool: 'test',
      key,
      fingerprint: Buffer.from('x'),
    });
}

function defer(key: string, insert = INSERT): void {
  tenants.session(acme.id).defer(insert, [acme.id, key]);
}

async function claimed(): Promise<string[]> {
  const rows = await tenants
    .session(acme.id)
    .query<{ key: string }>(`select key from idempotency_keys where key like $1 order by key`, [
      'deferred%',
    ]);
  return rows.map(({ key }) => key);
}

async function stored(key: string): Promise<boolean> {
  const rows = await switchboard.ownerQuery('select from idempotency_keys where key = $1', [key]);
  return rows.length === 1;
}
