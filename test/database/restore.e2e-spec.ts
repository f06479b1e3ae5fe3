import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../src/database/secret-box.js';
import {
  migrate,
  MIGRATION_NAMES,
  prepareDatabase,
} from '../../src/database/setup/prepare-database.js';
import { backUp, digestOf, restore, rewrite } from '../support/backup.js';
import { createDatabaseOwner, type DatabaseOwner } from '../support/database-owner.js';

const [KEY, OTHER_KEY] = ['the-first-key-'.repeat(4), 'the-other-key-'.repeat(4)];

class MakeBoats1763000000000 {
  readonly name = 'MakeBoats1763000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table public.boats (
      organization_id text collate "C" not null references public.organizations (id) on delete cascade,
      number bigint not null generated always as identity,
      crew text[] not null,
      size integer not null generated always as (cardinality(crew)) stored,
      constraint boats_pkey primary key (organization_id, number))`);
    await runner.query(`select private.isolate('public.boats')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table public.boats');
  }
}

describe('a restore', () => {
  let owner: DatabaseOwner;
  let folder: string;
  let sourceUrl: string;
  let file: string;
  let files = 0;
  const clients: Client[] = [];

  beforeAll(async () => {
    owner = await createDatabaseOwner();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-restore-'));
    sourceUrl = await prepared();
    await insertSealed(sourceUrl, KEY);
    file = await backedUp(sourceUrl);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
  });
  afterAll(async () => {
    await owner.drop();
    await rm(folder, { recursive: true });
  });

  const newFile = (): string => {
    files += 1;
    return join(folder, `${files}.backup`);
  };
  const backedUp = async (url: string, key = KEY): Promise<string> => {
    const path = newFile();
    await backUp(url, path, key);
    return path;
  };
  const prepared = async (): Promise<string> => {
    const url = await owner.createDatabase();
    await prepareDatabase(url, { waitMs: 5000, log: () => undefined });
    return url;
  };
  const insertSealed = async (
    url: string,
    key: string,
    table: 'workflows' | 'secrets' = 'workflows',
  ): Promise<void> => {
    const [row] = await owner.ask<{ data_key: Buffer }>(
      url,
      'select data_key from private.installation',
    );
    await owner.ask(url, `insert into organizations (id, name) values ('org_a', 'Acme')`);
    await owner.ask(
      url,
      table === 'workflows'
        ? `insert into workflows (organization_id, id, name, active, version, trigger_type, secret)
           values ('org_a', 'wf_a', 'Sealed', true, 1, 'webhook', $1)`
        : `insert into secrets (organization_id, name, sealed) values ('org_a', 'token', $1)`,
      [new SecretBox(row!.data_key, key).seal('secret', 'wf_a')],
    );
  };
  const countTables = async (url: string): Promise<number> => {
    const [row] = await owner.ask<{ count: number }>(
      url,
      `select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    return row!.count;
  };
  const connect = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    clients.push(client);
    return client;
  };

  it('prints what it did, and creates the roles of the service', async () => {
    const url = await owner.createDatabase();
    expect(await restore(file, url, KEY)).toEqual([
      expect.stringMatching(/^Restored \d+ tables with \d+ rows\.$/),
    ]);
    expect(await digestOf(owner, url)).toEqual(await digestOf(owner, sourceUrl));
  });

  it('refuses a database that is not empty, and changes nothing there', async () => {
    const url = await prepared();
    await owner.ask(url, `delete from private.installation`);
    await owner.ask(url, `insert into organizations (id, name) values ('org_x', 'Existing')`);
    const before = await digestOf(owner, url);
    await expect(restore(file, url, KEY)).rejects.toThrow(
      'The database is not empty: public.organizations has rows. A restore overwrites nothing. Set DATABASE_URL to a',
    );
    expect(await digestOf(owner, url)).toEqual(before);
  });

  it('refuses a database that a process uses', async () => {
    const url = await owner.createDatabase();
    const process = await connect(url);
    const users = /A process is connected to the database, as \w+ \(1\)\. Stop every process/;
    await expect(restore(file, url, KEY)).rejects.toThrow(users);
    await process.end();
    clients.length = 0;
    expect(await countTables(url)).toBe(0);
  });

  it('refuses an archive that was truncated or changed, without a change of the database', async () => {
    const url = await owner.createDatabase();
    const bytes = await readFile(file);
    const wrong = newFile();
    await writeFile(wrong, bytes.subarray(0, bytes.length - 20));
    await expect(restore(wrong, url, KEY)).rejects.toThrow('it ends too early');
    bytes[Math.floor(bytes.length / 2)]! ^= 4;
    await writeFile(wrong, bytes);
    await expect(restore(wrong, url, KEY)).rejects.toThrow('The archive is damaged');
    expect(await countTables(url)).toBe(0);
  });

  it('refuses an archive of a newer version, and names its first unknown migration', async () => {
    const newer = newFile();
    await rewrite(file, newer, (entry) =>
      entry.kind === 'header'
        ? { ...entry, product: '9.0.0', migrations: [...entry.migrations, 'Future1999000000000'] }
        : entry,
    );
    const url = await owner.createDatabase();
    await expect(restore(newer, url, KEY)).rejects.toThrow(
      'A newer version of Switchboard (9.0.0) made this backup: it has the migration Future1999000000000',
    );
    expect(await countTables(url)).toBe(0);
  });

  it('refuses a SECRET_KEY that is not the key of the backup, and a backup with a wrong SECRET_KEY gets a warning', async () => {
    const url = await owner.createDatabase();
    const words = /encrypted with another SECRET_KEY\. Set SECRET_KEY.*--lost-secret-key/;
    await expect(restore(file, url, OTHER_KEY)).rejects.toThrow(words);
    await expect(restore(file, url)).rejects.toThrow(words);
    expect(await countTables(url)).toBe(0);
    const warned = newFile();
    expect(await backUp(sourceUrl, warned, OTHER_KEY)).toEqual([
      expect.stringContaining(
        'Warning: 1 stored secret cannot be decrypted with the SECRET_KEY of this command.',
      ),
    ]);
    await expect(restore(warned, url, OTHER_KEY)).rejects.toThrow(words);
    await restore(warned, url, KEY);
  });

  it('needs only the keys of secrets that the service stored, also when SQL of a tool stored other bytes as secrets', async () => {
    const source = await prepared();
    await insertSealed(source, KEY, 'secrets');
    await owner.ask(
      source,
      `set session_replication_role = replica;
       insert into workflows (organization_id, id, name, active, version, trigger_type, secret, previous_secret)
       select 'org_a', 'wf_' || i, '', true, 1, 'webhook', int4send(i), int4send(-i) from generate_series(1, 50000) i`,
    );
    const archive = newFile();
    expect(await backUp(source, archive, KEY)).toEqual([
      expect.stringContaining('Warning: 100000 stored secrets cannot be decrypted'),
    ]);
    const url = await owner.createDatabase();
    await expect(restore(archive, url, OTHER_KEY)).rejects.toThrow('another SECRET_KEY');
    await restore(archive, url, KEY);
  });

  it('refuses a wrong SECRET_KEY even without stored secrets, because the key signs resume URLs', async () => {
    const without = await backedUp(await prepared());
    const url = await owner.createDatabase();
    await expect(restore(without, url, OTHER_KEY)).rejects.toThrow('another SECRET_KEY');
  });

  it('that fails leaves no rows, and can be repeated', async () => {
    const broken = newFile();
    await rewrite(file, broken, (entry) =>
      entry.kind === 'rows' && entry.bytes.includes('wf_a')
        ? { ...entry, bytes: Buffer.from(entry.bytes.toString().replace('org_a', 'org_z')) }
        : entry,
    );
    const url = await owner.createDatabase();
    await expect(restore(broken, url, KEY)).rejects.toThrow('workflows_organization_id_fkey');
    expect(await owner.ask(url, 'select from organizations')).toEqual([]);
    await restore(file, url, KEY);
    expect(await digestOf(owner, url)).toEqual(await digestOf(owner, sourceUrl));
  });

  it('refuses an archive whose number of rows is wrong', async () => {
    const wrong = newFile();
    await rewrite(file, wrong, (entry) =>
      entry.kind === 'table_end' && entry.rows > 0 ? { ...entry, rows: entry.rows + 1 } : entry,
    );
    const url = await owner.createDatabase();
    await expect(restore(wrong, url, KEY)).rejects.toThrow(/should have \d+ rows and has \d+/);
    expect(await owner.ask(url, 'select from organizations')).toEqual([]);
  });

  it('brings the backup of an older version to this version', async () => {
    const older = await owner.createDatabase();
    const names = MIGRATION_NAMES.slice(0, -3);
    await migrate(older, names);
    await owner.ask(
      older,
      `insert into private.installation (suffix, tenant_password, gate_password, inner_key, outer_key, context_key, data_key)
       select suffix || 'older', tenant_password, gate_password, inner_key, outer_key, context_key, data_key
       from (select 'r' || substr(md5(random()::text), 1, 6) as suffix, md5(random()::text) as tenant_password,
         md5(random()::text) as gate_password, decode(repeat('36', 64), 'hex') as inner_key,
         decode(repeat('5c', 64), 'hex') as outer_key, decode(repeat('00', 32), 'hex') as context_key,
         decode(repeat('11', 32), 'hex') as data_key) as random`,
    );
    await owner.ask(older, `insert into organizations (id, name) values ('org_a', 'Acme')`);
    const archive = await backedUp(older);
    const url = await owner.createDatabase();
    expect(await restore(archive, url, KEY)).toEqual([
      expect.stringMatching(/^Restored/),
      'Ran 3 migrations of the database.',
    ]);
    expect(await owner.ask(url, 'select name from organizations')).toEqual([{ name: 'Acme' }]);
    const schema = await digestOf(owner, url);
    expect(Object.keys(schema)).toEqual(Object.keys(await digestOf(owner, sourceUrl)));
  });

  it('includes tables of modules, and refuses a backup with tables of unknown modules', async () => {
    const migrations = [MakeBoats1763000000000];
    const withBoats = await owner.createDatabase();
    const extensions = { entities: [], migrations };
    await prepareDatabase(withBoats, { waitMs: 5000, log: () => undefined, extensions });
    await owner.ask(withBoats, `insert into organizations (id, name) values ('org_a', 'Acme')`);
    await owner.ask(
      withBoats,
      `insert into boats (organization_id, crew) values ('org_a', '{"Ada, L.",null}'), ('org_a', '{}')`,
    );
    const archive = await backedUp(withBoats);
    const url = await owner.createDatabase();
    await expect(restore(archive, url, KEY)).rejects.toThrow(
      'The backup has tables of modules: it has the migration MakeBoats1763000000000',
    );
    await restore(archive, url, KEY, migrations);
    expect(await digestOf(owner, url)).toEqual(await digestOf(owner, withBoats));
    await owner.ask(url, `insert into boats (organization_id, crew) values ('org_a', '{}')`);
  });

  it('reads each event a few times, and not once for each wait', async () => {
    const url = await prepared();
    const [waits, events] = [50, 2000];
    await insertSealed(url, KEY);
    await owner.ask(
      url,
      `insert into workflow_versions (organization_id, workflow_id, version, steps) values ('org_a', 'wf_a', 1, '[]');
       insert into workflow_runs
         (organization_id, id, workflow_id, workflow_version, status, trigger_type, payload)
       values ('org_a', 'run_a', 'wf_a', 1, 'waiting', 'manual', '');
       insert into run_waits (organization_id, run_id, step_id, event, bindings, state, armed_at, armed_xid, armed_snapshot)
       select 'org_a', 'run_a', i, 'any', '{".events":["paid"]}', 'armed', '2026-01-02', '5000001', '5000000:5000002:'
       from generate_series(1, ${waits}) i;
       insert into pending_events (organization_id, id, name, payload, xid, happened_at)
       select 'org_a', i, 'left', '{}', (5000000 + i)::text, '2026-01-01' from generate_series(1, ${events}) i`,
    );
    const restored = await owner.createDatabase();
    await restore(await backedUp(url), restored, KEY);
    const [row] = await owner.ask<{ reads: number }>(
      restored,
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as reads from pg_stat_all_tables
       where relid = 'public.pending_events'::regclass`,
    );
    expect(row!.reads).toBeGreaterThanOrEqual(events);
    expect(row!.reads).toBeLessThan(10 * events);
  });

  it('gives waits and events new transaction ids, which are valid on the new server', async () => {
    const url = await prepared();
    const insert = (table: string, columns: string, values: string): Promise<unknown> =>
      owner.ask(url, `insert into ${table} (${columns}) values (${values})`);
    await insert('organizations', 'id, name', `'org_a', 'Acme'`);
    await insert(
      'workflows',
      'organization_id, id, name, active, version, trigger_type',
      `'org_a', 'wf_a', 'Waits', true, 1, 'manual'`,
    );
    await insert(
      'workflow_versions',
      'organization_id, workflow_id, version, steps',
      `'org_a', 'wf_a', 1, '[]'`,
    );
    await insert(
      'workflow_runs',
      'organization_id, id, workflow_id, workflow_version, status, trigger_type, payload',
      `'org_a', 'run_a', 'wf_a', 1, 'waiting', 'manual', ''`,
    );
    // Waits `during` began while the transaction of the event was open, waits `after` began after that transaction.
    const during = '5000000:5000002:5000000';
    const after = '5000003:5000003:';
    for (const [step, snapshot, event, bindings, xid] of [
      ['during', during, 'paid', '{}'],
      ['during_own', during, 'paid', '{}', '5000000'],
      ['during_listed', during, 'any', '{".events":["left","paid"]}'],
      ['during_other', during, 'any', '{".events":["left"]}'],
      ['after', after, 'paid', '{}'],
      // SQL of a tool has stored this wait. PostgreSQL cannot read the names of its events.
      ['broken', during, 'any', '{".events":["\\u0000"]}'],
    ] as const) {
      await insert(
        'run_waits',
        'organization_id, run_id, step_id, event, bindings, state, armed_at, armed_xid, armed_snapshot',
        `'org_a', 'run_a', '${step}', '${event}', '${bindings}', 'armed', '2026-01-02', '${xid ?? '5000001'}', '${snapshot}'`,
      );
    }
    await insert(
      'pending_events',
      'organization_id, id, name, payload, xid, happened_at',
      `'org_a', 'event_a', 'paid', '{}', '5000000', '2026-01-01'`,
    );
    await insert(
      'segments',
      'organization_id, id, name, kind, filters, baseline, sweep_at, barrier',
      `'org_a', 'seg_a', 'All', 'dynamic', '[]', false, now(), '5000000'`,
    );
    const restored = await owner.createDatabase();
    await restore(await backedUp(url), restored, KEY);
    // A transaction of another test may still be open, and be older than the restore.
    await expect
      .poll(() =>
        owner.ask(
          restored,
          'select barrier::xid8 < pg_snapshot_xmin(pg_current_snapshot()) as is_past from segments',
        ),
      )
      .toEqual([{ is_past: true }]);
    const waits = await owner.ask(
      restored,
      `select w.step_id, w.armed_at <= e.happened_at as gets_event, w.armed_xid = e.xid as same,
         pg_visible_in_snapshot(e.xid::xid8, pg_current_snapshot()) as is_past
       from run_waits w, pending_events e order by 1 desc`,
    );
    expect(waits).toEqual([
      { step_id: 'during_own', gets_event: false, same: true, is_past: true },
      { step_id: 'during_other', gets_event: false, same: true, is_past: true },
      { step_id: 'during_listed', gets_event: true, same: true, is_past: true },
      { step_id: 'during', gets_event: true, same: true, is_past: true },
      { step_id: 'broken', gets_event: false, same: true, is_past: true },
      { step_id: 'after', gets_event: false, same: true, is_past: true },
    ]);
  });
});

describe('a backup', () => {
  let owner: DatabaseOwner;
  let folder: string;
  let url: string;

  beforeAll(async () => {
    owner = await createDatabaseOwner();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-restore-'));
    url = await owner.createDatabase();
    await prepareDatabase(url, { waitMs: 5000, log: () => undefined });
  });
  afterAll(async () => {
    await owner.drop();
    await rm(folder, { recursive: true });
  });

  it('refuses a user from whom row-level security could hide rows', async () => {
    const hide = 'create policy hidden on public.contacts as restrictive using (false)';
    await owner.ask(url, hide);
    await expect(backUp(url, join(folder, 'hidden'))).rejects.toThrow(
      'Row-level security can hide rows from this user in public.contacts.',
    );
    await owner.ask(url, 'drop policy hidden on public.contacts');
    await owner.ask(url, 'alter policy owner on public.contacts using (created_at > now())');
    await expect(backUp(url, join(folder, 'hidden'))).rejects.toThrow('public.contacts');
    await owner.ask(url, 'alter policy owner on public.contacts using (true)');
    await backUp(url, join(folder, 'whole'));
  });

  it('names schemas whose tables it leaves out', async () => {
    await owner.ask(url, 'create schema elsewhere; create table elsewhere.things ()');
    expect(await backUp(url, join(folder, 'partial'))).toEqual([
      "Not in the backup: the schema elsewhere with 1 table, which is not Switchboard's.",
    ]);
  });

  it('refuses a database without Switchboard', async () => {
    await expect(backUp(await owner.createDatabase(), join(folder, 'none'))).rejects.toThrow(
      'The database has no tables of Switchboard.',
    );
  });
});
