import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Effects } from '../../src/database/transactions/effects.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { allowRenaming } from '../support/extra-grants.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { dumpOrganization } from './dump-organization.js';

let switchboard: Switchboard;
let tenants: TenantDatabase;
let acme: TestOrganization;
let other: TestOrganization;
let contactId: string;

beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { DATABASE_POOL_SIZE: '2' } });
  tenants = switchboard.app.get(TenantDatabase, { strict: false });
  other = await createOrganization(switchboard);
  await switchboard.ownerQuery(`
    create table public.team_things (
      organization_id text collate "C" not null references organizations (id) on delete cascade,
      place integer not null, "Odd name" text not null, facts json, secret bytea, parent integer,
      primary key (organization_id, place, "Odd name"))`);
  await switchboard.ownerQuery(`
    alter table public.team_things
      add constraint team_things_parent_key unique (organization_id, place),
      add constraint team_things_parent_fkey foreign key (organization_id, parent)
        references public.team_things (organization_id, place) deferrable initially deferred`);
  await switchboard.ownerQuery(`select private.isolate('public.team_things')`);
  await switchboard.ownerQuery(`
    create table public.team_notes (
      organization_id text collate "C" not null references organizations (id), id text, primary key (organization_id, id))`);
  await switchboard.ownerQuery(`select private.isolate('public.team_notes', bookkeeping => true)`);
  await switchboard.ownerQuery('select private.ensure_roles()');
  await allowRenaming(switchboard);
});
afterAll(() => switchboard.close());
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
    email: 'known@example.com',
  });
  contactId = value.contact.id;
});

const sql = (statement: string, values?: unknown[]): Promise<unknown> =>
  tenants.session(acme.id).query(statement, values);
const write = <T>(work: () => Promise<T>): Promise<T> => tenants.transaction(acme.id, work);
const thing = (place: number, more: { parent?: number; facts?: string; secret?: string } = {}) =>
  sql(`insert into team_things values ($1, $2, 'a', $3, $4, $5)`, [
    acme.id,
    place,
    more.facts ?? null,
    more.secret ?? null,
    more.parent ?? null,
  ]);
/** Runs one transaction of a dry run and returns its effects. */
const effectsOf = (work: () => Promise<unknown>): Promise<Effects> =>
  tenants.dryRun(acme.id, () => tenants.observe(acme.id, () => write(work)));

describe('a dry run', () => {
  it('stores nothing, drops actions that wait for the commit, and returns the result of the work', async () => {
    const before = await dumpOrganization(switchboard, acme.id);
    const seen: string[] = [];
    const { result } = await tenants.dryRun(acme.id, () =>
      tenants.observe(acme.id, () =>
        write(async () => {
          await thing(1);
          tenants.afterCommit(() => seen.push('sent'));
          return await write(() => sql('select place from team_things'));
        }),
      ),
    );
    expect(result).toEqual([{ place: 1 }]);
    expect(seen).toEqual([]);
    expect(await dumpOrganization(switchboard, acme.id)).toEqual(before);
  });

  it('stores nothing when the work throws', async () => {
    const before = await dumpOrganization(switchboard, acme.id);
    const failed = effectsOf(async () => {
      await thing(1);
      throw new Error('undo');
    });
    await expect(failed).rejects.toThrow('undo');
    expect(await dumpOrganization(switchboard, acme.id)).toEqual(before);
  });

  it('is not a tenant transaction itself, and transactions inside it end as usual', async () => {
    await tenants.dryRun(acme.id, async () => {
      expect(tenants.inDryRun).toBe(true);
      expect(tenants.inTransaction).toBe(false);
      expect(() => tenants.session(acme.id)).toThrow('Use session() and repository()');
      expect(() => tenants.afterCommit(() => undefined)).toThrow(
        'Call afterCommit() of TenantDatabase inside',
      );
      await write(async () => {
        expect(tenants.inTransaction).toBe(true);
        expect(tenants.inDryRun).toBe(true);
        await thing(1);
      });
      const failed = write(async () => {
        await thing(2);
        await thing(2);
      });
      await expect(failed).rejects.toMatchObject({ code: '23505' });
      // The failed transaction neither aborted nor rolled back the transaction of the dry run.
      await write(async () => {
        expect(await sql('select place from team_things')).toEqual([{ place: 1 }]);
      });
    });
    expect(tenants.inDryRun).toBe(false);
  });

  it('cannot begin inside a transaction, and effects cannot be observed outside a dry run', async () => {
    await expect(write(() => tenants.dryRun(acme.id, async () => 1))).rejects.toThrow(
      'not a dry run',
    );
    await expect(tenants.observe(acme.id, async () => 1)).rejects.toThrow('not a dry run');
  });

  it('belongs to one organization', async () => {
    const elsewhere = tenants.dryRun(acme.id, () =>
      tenants.transaction(other.id, async () => undefined),
    );
    await expect(elsewhere).rejects.toThrow('pass call.organizationId');
    const nested = tenants.dryRun(acme.id, () => tenants.dryRun(other.id, async () => undefined));
    await expect(nested).rejects.toThrow('pass call.organizationId');
  });

  it('returns truncated effects when SQL of a tool has made the record too large to parse', async () => {
    const line = `'{"action":"create","table":"x","id":"' || repeat('x', 300000) || E'"}\\n'`;
    const effects = await effectsOf(() =>
      sql(`select length(set_config('switchboard.effects', ${line}, true))`),
    );
    expect(effects).toMatchObject({ effects: [], truncated: true });
  });

  it('includes work that normally runs outside of the transaction', async () => {
    const before = await dumpOrganization(switchboard, acme.id);
    await effectsOf(() => tenants.outside(() => write(() => thing(1))));
    expect(await dumpOrganization(switchboard, acme.id)).toEqual(before);
  });

  it('rejects writes in read-only transactions, and allows them in the next transaction', async () => {
    await tenants.dryRun(acme.id, async () => {
      const read = tenants.transaction(acme.id, () => thing(1), { readOnly: true });
      await expect(read).rejects.toThrow('Remove readOnly: true from the tool');
      await tenants.transaction(acme.id, () => sql('select from contacts'), { readOnly: true });
      await write(() => thing(1));
    });
  });

  it('fails where the commit would fail, and defers constraints again afterwards', async () => {
    await tenants.dryRun(acme.id, async () => {
      await write(async () => {
        await thing(2, { parent: 1 });
        await thing(1);
      });
      const dangling = write(() => thing(3, { parent: 99 }));
      await expect(dangling).rejects.toMatchObject({ code: '23503' });
      await write(async () => {
        await thing(5, { parent: 4 });
        await thing(4);
      });
    });
  });

  it('fails when SQL of the work would end its transaction', async () => {
    const escaped = effectsOf(() => sql('commit'));
    await expect(escaped).rejects.toThrow('SQL cannot begin or end the transaction');
    // The connection can still be used.
    await Promise.all(Array.from({ length: 4 }, () => write(() => sql('select 1'))));
  });

  it('answers unavailable when its connection dies', async () => {
    const cut = effectsOf(async () => {
      const [row] = (await sql('select pg_backend_pid() as pid')) as { pid: number }[];
      await switchboard.ownerQuery('select pg_terminate_backend($1, 5000)', [row!.pid]);
      await thing(1);
    });
    await expect(cut).rejects.toMatchObject({ name: 'AppError', code: 'unavailable' });
    expect(await write(async () => 'done')).toBe('done');
  });
});

describe('the effects of a dry run', () => {
  it('contain the table and key of each row, and the changed columns of updates', async () => {
    const { effects, truncated } = await effectsOf(async () => {
      await thing(1);
      await sql(`update contacts set first_name = 'Ada', email = email where id = $1`, [contactId]);
      await sql(`update organizations set name = 'Acme' where id = $1`, [acme.id]);
    });
    expect(effects).toEqual([
      { action: 'create', table: 'team_things', id: '1/a' },
      { action: 'update', table: 'contacts', id: contactId, changed: ['first_name'] },
      { action: 'update', table: 'organizations', id: acme.id, changed: ['name'] },
    ]);
    expect(truncated).toBeUndefined();
  });

  it('contain changes by cascades and triggers', async () => {
    const { value } = await acme.call<{ message: { id: string } }>('send_message', {
      contact_id: contactId,
      subject: 'Hello',
      body: 'Hello',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const { effects } = await effectsOf(() =>
      sql('delete from contacts where id = $1', [contactId]),
    );
    expect(effects).toContainEqual({ action: 'delete', table: 'contacts', id: contactId });
    expect(effects).toContainEqual({
      action: 'update',
      table: 'messages',
      id: value.message.id,
      changed: ['contact_id'],
    });
    expect(effects).toHaveLength(2);
  });

  it('do not contain bookkeeping, rows that were only read or locked, or updates without a change', async () => {
    const { effects } = await effectsOf(async () => {
      await sql(`insert into team_notes values ($1, 'x')`, [acme.id]);
      await sql(`select from contacts for update`);
      await sql(`update contacts set email = email`);
    });
    expect(effects).toEqual([]);
  });

  it('are correct for rows with any JSON and bytes, and do not contain these values', async () => {
    const facts = String.raw`{"text": "\u0000 hunter2 \ud800"}`;
    const { effects } = await effectsOf(async () => {
      await thing(1, { facts, secret: '\\x6875' });
      await sql(`update team_things set facts = '{"text": "\\u0000"}', secret = '\\x00'`);
      await thing(2);
      await sql(`update team_things set facts = null where place = 2`);
    });
    expect(effects).toEqual([
      { action: 'create', table: 'team_things', id: '1/a' },
      { action: 'create', table: 'team_things', id: '2/a' },
    ]);
    await write(() => thing(1, { facts, secret: '\\x6875' }));
    const later = await effectsOf(() =>
      sql(`update team_things set facts = '{}', secret = '\\x31', "Odd name" = E'new\\nline"'`),
    );
    expect(later.effects).toEqual([
      {
        action: 'update',
        table: 'team_things',
        id: '1/a',
        changed: ['Odd name', 'facts', 'secret'],
      },
    ]);
    expect(JSON.stringify(later)).not.toMatch(/hunter2|6875|new/);
  });

  it('contain only changes that were made during observe() and were not rolled back', async () => {
    await tenants.dryRun(acme.id, async () => {
      await write(() => thing(1));
      const second = await tenants.observe(acme.id, () => write(() => thing(2)));
      expect(second.effects).toEqual([{ action: 'create', table: 'team_things', id: '2/a' }]);
      const third = await tenants.observe(acme.id, async () => {
        await write(async () => {
          await thing(3);
          throw new Error('undo');
        }).catch(() => undefined);
        await write(() => sql(`delete from team_things where place = 1`));
      });
      expect(third.effects).toEqual([{ action: 'delete', table: 'team_things', id: '1/a' }]);
    });
  });

  itSlow('are limited in number', async () => {
    const many = (count: number) =>
      effectsOf(() =>
        sql(`insert into team_things select $1, n, 'a' from generate_series(1, $2::int) n`, [
          acme.id,
          count,
        ]),
      );
    const most = await many(1000);
    expect(most.effects).toHaveLength(1000);
    expect(most).not.toHaveProperty('truncated');
    const { effects, truncated } = await many(20_000);
    expect(truncated).toBe(true);
    expect(effects.length).toBe(1000);
  });
});

describe('the setting that enables a dry run', () => {
  it.each([true, false])('gives no additional access to SQL that sets it to %s', async (on) => {
    await acme.call('create_contact', { email: 'mine@example.com' });
    const before = await dumpOrganization(switchboard, other.id);
    await write(async () => {
      await sql(`select set_config('switchboard.dry_run', $1, false)`, [on ? 'on' : 'off']);
      await sql(`select set_config('switchboard.effects', 'no JSON', false)`);
      const seen = await sql('select distinct organization_id as id from contacts');
      expect(seen).toEqual([{ id: acme.id }]);
      await sql(`update contacts set first_name = 'x'`);
      await sql(`delete from contacts where organization_id <> $1`, [acme.id]);
    });
    expect(await dumpOrganization(switchboard, other.id)).toEqual(before);
    // The settings may remain on connections of the pool. They must affect no other call.
    for (const organization of [acme, other]) {
      for (let turn = 0; turn < 4; turn += 1) {
        const [row] = await tenants.transaction(organization.id, () =>
          tenants
            .session(organization.id)
            .query<{ dry: string }>(`select current_setting('switchboard.dry_run') as dry`),
        );
        expect(row!.dry).toBe('off');
      }
    }
    const { effects } = await effectsOf(() => thing(1));
    expect(effects).toEqual([{ action: 'create', table: 'team_things', id: '1/a' }]);
  });

  it('cannot be turned off by SQL in order to store the changes of a dry run', async () => {
    const before = await dumpOrganization(switchboard, acme.id);
    const sneaky = effectsOf(async () => {
      await sql(`select set_config('switchboard.dry_run', 'off', false)`);
      await thing(1);
    });
    await expect(sneaky).rejects.toThrow('of this dry run has committed it');
    expect(await dumpOrganization(switchboard, acme.id)).toEqual(before);
  });
});
