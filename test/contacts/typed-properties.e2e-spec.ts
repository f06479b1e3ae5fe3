import { Client } from 'pg';
import { beforeEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import type { ContactResult } from './contact.js';

interface UnfitPage {
  unfit_values: { contact_id: string; value: string }[];
  next_cursor: string | null;
}

const WAITING = `select 1 from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

let counter = 0;
const create = (properties: object) => {
  counter += 1;
  return acme.call<ContactResult>('create_contact', { external_id: `c${counter}`, properties });
};
const declare = (name: string, type: string, options?: string[]) =>
  acme.call('set_property', { name, type, ...(options && { options }) });

describe('declared properties', () => {
  it.each([
    { type: 'text', good: ['', 'pro'], bad: [5, true, ['a']] },
    { type: 'number', good: [5, -1.5], bad: ['5', false] },
    { type: 'boolean', good: [true, false], bad: ['true', 0] },
    { type: 'date', good: ['2030-01-31', '2028-02-29'], bad: ['2030-02-30', '31.1.2030', 5] },
    { type: 'enum', options: ['free', 'pro'], good: ['free'], bad: ['Free', '', 1] },
    { type: 'list', good: [[], ['a', 'b']], bad: ['a', [1], [''], [['a']], Array(51).fill('a')] },
  ])('of the type $type accept values of this type only', async ({ type, options, good, bad }) => {
    await declare('value', type, options);
    for (const value of good) {
      const created = await create({ value });
      expect(created.value.contact.properties).toEqual({ value });
      const { id: contact_id } = created.value.contact;
      const removed = await acme.call('update_contact', {
        contact_id,
        properties: { value: null },
      });
      expect(removed.error).toBeUndefined();
    }
    for (const value of bad) {
      const { error } = await create({ value });
      expect(error).toMatchObject({
        code: 'invalid_arguments',
        details: [{ path: 'properties.value' }],
      });
    }
  });

  it('do not forbid undeclared properties, unless the organization is strict', async () => {
    await declare('plan', 'text');
    expect((await create({ other: 5 })).error).toBeUndefined();
    await acme.call('set_contact_settings', { strict_properties: true });
    expect((await create({ other: 5 })).error).toMatchObject({
      details: [
        { path: 'properties.other', message: expect.stringContaining('not declared') as string },
      ],
    });
    expect((await create({ plan: 'pro' })).error).toBeUndefined();
    expect((await create({ plan: 'pro', other: null })).error).toBeUndefined();
  });

  it('are listed, changed and deleted, and their values stay', async () => {
    await declare('plan', 'enum', ['free', 'pro']);
    await declare('active', 'boolean');
    const { value } = await create({ plan: 'pro' });
    expect((await declare('plan', 'text')).error).toBeUndefined();
    const listed = await acme.call<{ properties: object[] }>('list_properties');
    expect(listed.value.properties).toMatchObject([
      { name: 'active', type: 'boolean', options: [] },
      { name: 'plan', type: 'text', options: [] },
    ]);
    await acme.call('delete_property', { name: 'plan' });
    const { id: contact_id } = value.contact;
    const got = await acme.call<ContactResult>('get_contact', { contact_id });
    expect(got.value.contact.properties).toEqual({ plan: 'pro' });
    expect((await acme.call('delete_property', { name: 'plan' })).error?.code).toBe('not_found');
  });

  it.each([
    [{ name: '1', type: 'text' }, 'name'],
    [{ name: 'constructor', type: 'text' }, 'name'],
    [{ name: 'a', type: 'money' }, 'type'],
    [{ name: 'a', type: 'enum' }, 'options'],
    [{ name: 'a', type: 'enum', options: ['x', 'x'] }, 'options'],
    [{ name: 'a', type: 'text', options: ['x'] }, 'options'],
  ])('refuse %j', async (given, path) => {
    const { error } = await acme.call('set_property', given);
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path }] });
  });
});

describe('a change of the type of a property', () => {
  it('is refused until the values fit, or are removed on purpose', async () => {
    const texts = [];
    for (const value of ['2030-01-31', '2030-02-29', '0000-02-29', 'soon', 5, true, '2030-13-01']) {
      texts.push((await create({ when: value })).value.contact.id);
    }
    const refused = await declare('when', 'date');
    expect(refused.error).toMatchObject({ code: 'conflict' });
    expect(refused.error!.details).toHaveLength(5);
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const given = { name: 'when', type: 'date', limit: 2, cursor };
      const { value } = await acme.call<UnfitPage>('list_unfit_values', given);
      expect(value.unfit_values.length).toBeLessThanOrEqual(2);
      found.push(...value.unfit_values.map((unfit) => unfit.value));
      cursor = value.next_cursor;
    } while (cursor);
    expect(found.sort()).toEqual(['"2030-02-29"', '"2030-13-01"', '"soon"', '5', 'true']);
    const unfit = { name: 'when', type: 'date' };
    const removed = await acme.call('remove_unfit_values', unfit);
    expect(removed.value).toEqual({ removed: 5, has_more: false });
    expect((await declare('when', 'date')).error).toBeUndefined();
    const kept = await acme.call<ContactResult>('get_contact', { contact_id: texts[0] });
    expect(kept.value.contact.properties).toEqual({ when: '2030-01-31' });
  });

  it('waits for a transaction that is storing a value, and then sees the value', async () => {
    const client = new Client({ connectionString: switchboard.databaseUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(
        `select pg_advisory_xact_lock_shared(hashtextextended($1 || ' contact properties', 0))`,
        [acme.id],
      );
      const change = declare('seats', 'number');
      await waitFor(async () => {
        return (await switchboard.ownerQuery(WAITING)).length > 0;
      });
      await client.query(
        `insert into contacts (organization_id, id, external_id, search_text, properties)
         values ($1, 'con_late', 'late', '', '{"seats": "five"}')`,
        [acme.id],
      );
      await client.query('commit');
      expect((await change).error).toMatchObject({
        code: 'conflict',
        details: [{ path: 'con_late' }],
      });
    } finally {
      await client.end();
    }
  });

  it('delays calls that store a value, and these calls then see the new type', async () => {
    const client = new Client({ connectionString: switchboard.databaseUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(
        `select pg_advisory_xact_lock(hashtextextended($1 || ' contact properties', 0))`,
        [acme.id],
      );
      const creation = create({ seats: 'five' });
      await waitFor(async () => {
        return (await switchboard.ownerQuery(WAITING)).length > 0;
      });
      await client.query(
        `insert into contact_properties (organization_id, name, type) values ($1, 'seats', 'number')`,
        [acme.id],
      );
      await client.query('commit');
      expect((await creation).error).toMatchObject({
        code: 'invalid_arguments',
        details: [{ path: 'properties.seats' }],
      });
    } finally {
      await client.end();
    }
  });
});
