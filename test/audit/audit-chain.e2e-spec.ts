import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditSealWorker } from '../../src/audit/audit-seal.worker.js';
import {
  AuditVerifier,
  type ChainDay,
  type ChainHead,
  type Verification,
} from '../../src/audit/audit-verifier.js';
import { RetentionWorker } from '../../src/retention/retention.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';

let switchboard: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;

beforeAll(async () => {
  // There is no worker, so entries are chained only when a test chains them.
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
});
beforeEach(async () => {
  await switchboard.ownerQuery('truncate audit_log, private.audit_queue');
  await switchboard.ownerQuery('truncate private.audit_chains, private.audit_seals');
  acme = await createOrganization(switchboard);
  globex = await createOrganization(switchboard);
  for (let count = 0; count < 5; count += 1) {
    await acme.call('create_contact', { email: `a${count}@example.com` });
    await seal();
  }
});
afterAll(() => switchboard.close());

const seal = () => switchboard.app.get(AuditSealWorker, { strict: false }).sealEntries();

async function verify(
  kept: readonly ChainHead[] = [],
  days: readonly ChainDay[] = [],
): Promise<Verification> {
  const client = new Client({ connectionString: switchboard.databaseUrl });
  await client.connect();
  try {
    return await new AuditVerifier(client).verify(kept, days);
  } finally {
    await client.end();
  }
}

/** Changes the database as its owner, and returns the faults of the chain of Acme. */
async function attack(
  sql: string,
  kept: readonly ChainHead[] = [],
  days: readonly ChainDay[] = [],
): Promise<readonly string[]> {
  await switchboard.ownerQuery(sql.replaceAll('$acme', `'${acme.id}'`));
  await seal();
  const { faults } = await verify(kept, days);
  return faults.map((fault) => fault.replace(acme.id, 'acme').replaceAll(/\d+/g, 'n'));
}

/** Returns the UTC date of a time before now, for example `2026-11-27`. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

const THIRD = `(select id from audit_log where organization_id = $acme order by id offset 2 limit 1)`;

describe('the chain of the audit log', () => {
  it('is complete while nobody changes it, even if new entries are not chained yet', async () => {
    await acme.call('create_contact', { email: 'b@example.com' });
    const { faults, entries, waiting, heads } = await verify();
    expect(faults).toEqual([]);
    expect({ entries, waiting }).toEqual({ entries: 9, waiting: 1 });
    expect(heads.map(({ position }) => position).sort()).toEqual([2n, 7n]);
    await seal();
    expect(await verify(heads)).toMatchObject({ faults: [], waiting: 0 });
  });

  it.each(
    sample(
      [
        ['a changed action', `update audit_log set action = 'x' where id = ${THIRD}`],
        ['a changed time', `update audit_log set at = at + interval '1 ms' where id = ${THIRD}`],
        ['a changed caller', `update audit_log set actor_id = 'x' where id = ${THIRD}`],
        ['a changed address', `update audit_log set address = 'x' where id = ${THIRD}`],
        ['a removed outcome', `update audit_log set outcome = '' where id = ${THIRD}`],
        ['a removed digest', `update audit_log set arguments_digest = null where id = ${THIRD}`],
        [
          'an entry of another organization',
          `update audit_log set organization_id = 'org_x' where id = ${THIRD}`,
        ],
        ['a removed entry', `delete from audit_log where id = ${THIRD}`],
        [
          'the removed last entry',
          `delete from audit_log where id = (select max(id) from audit_log where organization_id = $acme)`,
        ],
        ['all entries removed', `delete from audit_log where organization_id = $acme`],
        [
          'an inserted entry',
          `insert into audit_log (organization_id, actor_kind, actor_id, action) values ($acme, 'user', 'x', 'x')`,
        ],
        [
          'the removed last entry with its seal',
          `with seal as (delete from private.audit_seals s where organization_id = $acme and last_position = 7 returning *)
       delete from audit_log a using seal where a.id = any (seal.entry_ids)`,
        ],
        [
          'a removed entry in the middle with its seal',
          `with seal as (delete from private.audit_seals s where organization_id = $acme and last_position = 5 returning *)
       delete from audit_log a using seal where a.id = any (seal.entry_ids)`,
        ],
        [
          'a changed entry with its hash',
          `with changed as (update audit_log set action = 'x' where id = ${THIRD} returning id)
       update private.audit_seals s set hashes = array[sha256('x')] from changed where changed.id = any (s.entry_ids)`,
        ],
        ['a removed chain', `delete from private.audit_chains where organization_id = $acme`],
        [
          'an entry removed before it was chained',
          `with entry as (select private.write_audit(json_build_array(json_build_object('organization_id', $acme,
        'actor_kind', 'user', 'actor_id', 'x', 'action', 'x')))) select from entry;
       delete from audit_log where organization_id = $acme and action = 'x'`,
        ],
      ],
      3,
    ),
  )('reveals %s', async (_, sql) => {
    const faults = await attack(sql);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).toContain(/org_x/.test(sql) ? '' : 'acme');
    expect(faults.join('\n')).not.toContain(globex.id);
  });

  it('reveals inserted entries that have the ids of chained entries, whatever their time', async () => {
    for (const email of ['b@example.com', 'c@example.com'])
      await acme.call('create_contact', { email });
    // The seal of these two entries contains the times of both.
    await seal();
    const insert = (time: string) => `
      insert into audit_log (organization_id, id, at, actor_kind, actor_id, action) overriding system value
      select organization_id, id, ${time}, 'user', 'x', 'x' from audit_log
      where organization_id = $acme order by id desc limit 1`;
    const fault = 'acme: several entries have the id n.';
    expect(await attack(insert(`at + interval '1 day'`))).toEqual([fault]);
    await switchboard.ownerQuery(`delete from audit_log where action = 'x'`);
    const first = `(select first_at from private.audit_seals order by sealed_at desc limit 1)`;
    expect(await attack(insert(first))).toContain(fault);
  });

  it('is checked correctly even when functions of another schema replace functions of PostgreSQL', async () => {
    const [entry] = await switchboard.ownerQuery<{ at: string }>(
      `update audit_log set at = at + interval '1 day' where id = ${THIRD.replaceAll('$acme', `'${acme.id}'`)}
       returning to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') as at`,
    );
    await switchboard.ownerQuery(
      `update private.audit_seals set last_at = last_at + interval '1 day'`,
    );
    await switchboard.ownerQuery('create schema hostile');
    await switchboard.ownerQuery(
      `create function hostile.to_char(given timestamp, format text) returns text language sql as $$
         select pg_catalog.to_char(case when given = '${entry!.at}' then given - interval '1 day' else given end, format)
       $$`,
    );
    const path = (value: string) =>
      switchboard.ownerQuery(
        `do $$ begin execute format('alter database %I set search_path = ${value}', current_database()); end $$`,
      );
    await path('hostile, pg_catalog, public');
    try {
      expect((await verify()).faults).toEqual([expect.stringContaining('was changed')]);
    } finally {
      await path('public');
      await switchboard.ownerQuery('drop schema hostile cascade');
    }
  });

  itSlow(
    'reveals the removal of its last entries only when it is compared with a head that was kept outside the database',
    async () => {
      const { heads } = await verify();
      const removal = `
      with seal as (delete from private.audit_seals s where organization_id = $acme and last_position = 7 returning *),
      entries as (delete from audit_log a using seal where a.id = any (seal.entry_ids))
      update private.audit_chains c set position = 6, hash = s.hashes[cardinality(s.hashes)]
      from private.audit_seals s
      where c.organization_id = $acme and s.organization_id = $acme and s.last_position = 6`;
      expect(await attack(removal)).toEqual([]);
      expect(await attack('select 1', heads)).toEqual([
        'acme: the earlier end at position n is no longer in the chain.',
      ]);
      const all = `delete from audit_log where organization_id = $acme`;
      await attack(`delete from private.audit_seals where organization_id = $acme`);
      await attack(`delete from private.audit_chains where organization_id = $acme`);
      expect(await attack(all, heads)).toEqual([
        'acme: the audit log was removed, with its chain.',
      ]);
    },
  );

  it('reveals entries removed from the beginning, even if the beginning of the chain was moved, when it is compared with an earlier output', async () => {
    const { heads, days } = await verify();
    // Removes the seals and entries up to a position, and moves the beginning of the chain there, as a purge does.
    const removal = (last: number) => `
      with seal as (delete from private.audit_seals where organization_id = $acme and last_position <= ${last} returning *),
      entries as (delete from audit_log a using seal where a.organization_id = $acme and a.id = any (seal.entry_ids))
      update private.audit_chains c set anchor_position = ${last}, anchor_at = now() - interval '100 days', anchor_hash =
        (select hashes[cardinality(hashes)] from seal where last_position = ${last}) where c.organization_id = $acme`;
    for (const last of [6, 7]) {
      expect(await attack(removal(last))).toEqual([]);
      expect(await attack('select 1', heads, days)).toEqual([
        'acme: entries from position n on were removed too early: entries of n-n-n are kept for n days.',
      ]);
    }
    const on = (day: string) => [{ organizationId: acme.id, position: 1n, day }];
    expect(await attack('select 1', heads, on(daysAgo(88)))).toHaveLength(1);
    // A purge may delete entries that are older than 90 days.
    expect(await attack('select 1', heads, on(daysAgo(91)))).toEqual([]);
    const afterwards = on(daysAgo(1)).map((day) => ({ ...day, position: 8n }));
    expect(await attack('select 1', heads, afterwards)).toEqual([]);
  });

  itSlow('stays complete after a purge, which keeps everything younger than 90 days', async () => {
    const before = await verify();
    await switchboard.ownerQuery(
      `select private.write_audit(json_agg(json_build_object('organization_id', $1::text, 'actor_kind', 'user',
         'actor_id', 'x', 'action', 'old', 'at', now() - interval '100 days'))) from generate_series(1, 700)`,
      [globex.id],
    );
    await seal();
    await acme.call('set_retention', { audit_log_days: 90 });
    await globex.call('set_retention', { audit_log_days: 90 });
    await seal();
    const full = await verify(before.heads);
    await switchboard.app.get(RetentionWorker, { strict: false }).purge();
    expect(full.faults).toEqual([]);
    expect((await verify(full.heads, full.days)).faults).toEqual([]);
    // The purge stops at the first young entry. The entries of the sign-up are young and come before the old entries,
    // so the purge deletes nothing.
    expect(await verify([...before.heads, ...full.heads])).toMatchObject({
      faults: [],
      entries: full.entries,
    });
    await switchboard.ownerQuery(`update audit_log set at = at - interval '100 days'`);
    await switchboard.ownerQuery(
      `update private.audit_seals set first_at = first_at - interval '100 days', last_at = last_at - interval '100 days'`,
    );
    await switchboard.ownerQuery(`update retention_rules set available_at = now()`);
    await switchboard.app.get(RetentionWorker, { strict: false }).purge();
    const days = full.days.map((day) => ({ ...day, day: daysAgo(100) }));
    const purged = await verify([...before.heads, ...full.heads], days);
    expect(purged).toMatchObject({ faults: [], entries: 0, heads: full.heads, days: [] });
    await acme.call('create_contact', { email: 'c@example.com' });
    await seal();
    expect(await verify(full.heads, days)).toMatchObject({ faults: [], entries: 1 });
  });

  it('does not make calls wait for each other', async () => {
    const client = new Client({ connectionString: switchboard.databaseUrl });
    await client.connect();
    try {
      // Locks the rows that a process locks when it chains entries, and keeps the locks. Then the organization makes a
      // call.
      await client.query('begin');
      await client.query('select * from private.audit_chains for update');
      await client.query('delete from private.audit_queue');
      const { status } = await acme.call('create_contact', { email: 'd@example.com' });
      expect(status).toBe(200);
    } finally {
      await client.query('rollback');
      await client.end();
    }
  });

  itSlow('has every entry once when several processes chain entries', async () => {
    await switchboard.ownerQuery(
      `select private.write_audit(json_agg(json_build_object('organization_id', o, 'actor_kind', 'user',
         'actor_id', 'x', 'action', n::text))) from generate_series(1, 1500) n, unnest($1::text[]) o`,
      [[acme.id, globex.id]],
    );
    const clients = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const client = new Client({ connectionString: switchboard.databaseUrl });
        await client.connect();
        return client;
      }),
    );
    await Promise.all(
      clients.map(async (client) => {
        for (let count = 0; count < 15; count += 1) {
          await client.query('select gate.seal_audit_log(100)');
        }
        await client.end();
      }),
    );
    await seal();
    expect(await verify()).toMatchObject({ faults: [], waiting: 0, entries: 3009 });
  });

  it('is written by one function only, which all other functions call to add an entry', async () => {
    const writers = await switchboard.ownerQuery<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'gate', 'private')
       where p.prosrc ~* 'insert into (public\\.)?audit_log'`,
    );
    expect(writers).toEqual([{ name: 'private.write_audit(json)' }]);
  });
});
