import { beforeAll, describe, expect, it } from 'vitest';
import { send } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { createWorkflow, getRun, runUntil } from '../workflows/support/workflow-client.js';
import type { ContactResult } from './contact.js';
import { createContact, find, merge, type Merged } from './merged-contacts.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const start = async (workflow_id: string, contact_id: string): Promise<string> =>
  (await acme.call<{ run_id: string }>('trigger_workflow', { workflow_id, contact_id })).value
    .run_id;
const later = () => new Date(Date.now() + 3_600_000).toISOString();
const rowsOf = (sql: string) => switchboard.ownerQuery<{ id: string }>(sql, [acme.id]);

describe('merge_contacts', () => {
  it('keeps the values of the survivor, fills its empty fields, and unites tags and properties', async () => {
    const kept = await createContact(acme, {
      email: 'ada@merge.example.com',
      first_name: 'Ada',
      tags: ['vip', 'de'],
      properties: { plan: 'pro', seats: 5 },
    });
    const other = await createContact(acme, {
      email: 'ada.l@merge.example.com',
      phone: '+4930111001',
      external_id: 'crm-1',
      first_name: 'A.',
      last_name: 'Lovelace',
      tags: ['de', 'beta'],
      properties: { plan: 'free', city: 'London' },
    });
    const { value } = await merge(acme, kept.id, other.id);
    expect(value.contact).toMatchObject({
      id: kept.id,
      email: 'ada@merge.example.com',
      phone: '+4930111001',
      external_id: 'crm-1',
      first_name: 'Ada',
      last_name: 'Lovelace',
      tags: ['vip', 'de', 'beta'],
      properties: { plan: 'pro', seats: 5, city: 'London' },
      created_at: kept.created_at,
    });
    expect(value.aliases).toEqual([{ kind: 'email', value: 'ada.l@merge.example.com' }]);
    expect(value.values).toEqual(
      expect.arrayContaining([
        { field: 'first_name', value: 'Ada', from: 'survivor', other: 'A.' },
        { field: 'last_name', value: 'Lovelace', from: 'merged', other: null },
        { field: 'properties.plan', value: 'pro', from: 'survivor', other: 'free' },
      ]),
    );
    expect(await find(acme, kept.id)).toEqual(value.contact);
  });

  it.each([
    { own: 'granted', others: 'denied', kept: 'denied' },
    { own: 'denied', others: 'granted', kept: 'denied' },
    { own: undefined, others: 'denied', kept: 'denied' },
    { own: undefined, others: 'granted', kept: 'granted' },
    { own: 'granted', others: undefined, kept: 'granted' },
  ])('keeps the stricter consent: $own and $others become $kept', async ({ own, others, kept }) => {
    const one = await createContact(acme, { consent: own && { email: own } });
    const two = await createContact(acme, { consent: others && { email: others } });
    const { value } = await merge(acme, one.id, two.id);
    const source = own === kept ? one : two;
    // The decision keeps its source and its time, as proof.
    expect(value.contact.consent.email).toEqual(source.consent.email);
    expect(value.contact.consent.email!.status).toBe(kept);
  });

  it('moves messages, runs and emitted events', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const message = await send(acme, { contact_id: two.id, scheduled_at: later() });
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    const run = await start(workflow.id, two.id);
    await acme.call('emit_event', { event: 'custom.merged', contact_id: two.id });
    const { value } = await merge(acme, one.id, two.id);
    expect(value.moved).toEqual({ messages: 1, runs: 1, waits: 0, events: 1, aliases: 0 });
    for (const contact_id of [one.id, two.id]) {
      const { value: messages } = await acme.call<{ messages: { id: string }[] }>('list_messages', {
        contact_id,
      });
      expect(messages.messages.map(({ id }) => id)).toEqual([message.id]);
      const { value: runs } = await acme.call<{ runs: { id: string }[] }>('list_runs', {
        contact_id,
      });
      expect(runs.runs).toHaveLength(1);
    }
    expect((await getRun(acme, run)).contact_id).toBe(one.id);
    const events = await rowsOf(
      `select contact_id as id from custom_events where organization_id = $1 and name = 'custom.merged'`,
    );
    expect(events).toEqual([{ id: one.id }]);
  });

  it('covers every table that refers to a contact', async () => {
    const columns = await switchboard.ownerQuery<{ place: string }>(
      `select table_name || '.' || column_name as place from information_schema.columns
       where table_schema in ('public', 'private') and column_name ~ 'contact' order by 1`,
    );
    // When you add a table to this list, let ContactMergesRepository move its rows, or say in a comment why the rows
    // need not be moved.
    expect(columns.map(({ place }) => place)).toEqual([
      // Triggers of contact_merges move the rows of this table and of topic_subscriptions.
      'consent_changes.contact_id',
      'contact_aliases.contact_id',
      'custom_events.contact_id',
      'messages.contact_id',
      // The delivery of an event looks for waits of the survivor too.
      'pending_events.contact_id',
      'run_waits.contact_id',
      // This table has the ids of contacts to compare. A contact that no longer exists is not compared.
      'segment_changes.contact_id',
      'segment_members.contact_id',
      'topic_subscriptions.contact_id',
      'workflow_runs.contact_id',
      // This column says that the contact was deleted, and has no id.
      'workflow_runs.lost_contact',
      // This column contains names of fields of a payload, and no ids of contacts.
      'workflow_versions.trigger_contact',
    ]);
  });

  it('keeps a run waiting, and an event of the survivor continues it', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const wait = { wait_for_event: { event: 'custom.answered', timeout: { days: 1 } } };
    const workflow = await createWorkflow(acme, [{ id: 'answer', ...wait }], {
      trigger: { type: 'manual' },
    });
    const run = await start(workflow.id, two.id);
    await runUntil(acme, run, 'waiting');
    expect((await merge(acme, one.id, two.id)).value.moved.waits).toBe(1);
    await acme.call('emit_event', { event: 'custom.answered', contact_id: one.id });
    await runUntil(acme, run, 'succeeded');
  });

  itSlow('delivers an event of the merged contact that is stored after the merge', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const wait = { wait_for_event: { event: 'custom.late', timeout: { days: 1 } } };
    const workflow = await createWorkflow(acme, [{ id: 'answer', ...wait }], {
      trigger: { type: 'manual' },
    });
    const run = await start(workflow.id, two.id);
    await runUntil(acme, run, 'waiting');
    await merge(acme, one.id, two.id);
    await switchboard.ownerQuery(
      `insert into pending_events (organization_id, id, name, contact_id, payload, xid, happened_at)
       values ($1, 'evt_late', 'custom.late', $2, '{}', pg_current_xact_id()::text, clock_timestamp())`,
      [acme.id, two.id],
    );
    await runUntil(acme, run, 'succeeded');
  });

  it('lets callers find the survivor by the id, the addresses and the external id of the merged contact', async () => {
    const one = await createContact(acme);
    const two = await createContact(acme, {
      email: 'old@merge.example.com',
      phone: '+4930111002',
      external_id: 'old-1',
    });
    await acme.call('update_contact', {
      contact_id: one.id,
      phone: '+4930111003',
      external_id: 'new-1',
    });
    await merge(acme, one.id, two.id);
    for (const key of [
      { contact_id: two.id },
      { email: 'OLD@merge.example.com' },
      { external_id: 'old-1' },
    ]) {
      const { value } = await acme.call<ContactResult>('get_contact', key);
      expect(value.contact.id).toBe(one.id);
    }
    const message = await send(acme, { contact_id: two.id, scheduled_at: later() });
    expect(message).toMatchObject({ contact_id: one.id, to: one.email });
    const byPhone = await send(acme, { phone: '+4930111002', scheduled_at: later() });
    expect(byPhone.contact_id).toBe(one.id);
    const updated = await acme.call<ContactResult>('update_contact', {
      contact_id: two.id,
      first_name: 'Renamed',
    });
    expect(updated.value.contact).toMatchObject({ id: one.id, first_name: 'Renamed' });
    const created = await acme.call<ContactResult>('create_contact', {
      external_id: 'old-1',
      last_name: 'Again',
      on_conflict: 'update',
    });
    expect(created.value).toMatchObject({
      created: false,
      contact: { id: one.id, last_name: 'Again', external_id: 'new-1' },
    });
    const inbound = { contact_id: two.id, body: 'Hello', external_id: 'm-1' };
    const received = await acme.call<{ message: { contact_id: string } }>(
      'record_message',
      inbound,
    );
    expect(received.value.message.contact_id).toBe(one.id);
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    const run = await start(workflow.id, two.id);
    expect((await getRun(acme, run)).contact_id).toBe(one.id);
    const rpc = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: `switchboard://contacts/${two.id}` },
    });
    expect(await rpc.text()).toContain(one.id);
    // The text search finds the person by the old address.
    const found = await acme.call<{ contacts: { id: string }[] }>('search_contacts', {
      query: 'old@merge',
    });
    expect(found.value.contacts.map(({ id }) => id)).toEqual([one.id]);
  });

  it('refuses to delete the survivor by the id of the merged contact', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    await merge(acme, one.id, two.id);
    const { error } = await acme.call('delete_contact', { contact_id: two.id });
    expect(error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(one.id) as string,
    });
    expect((await acme.call('delete_contact', { contact_id: one.id })).error).toBeUndefined();
    expect((await acme.call('get_contact', { contact_id: two.id })).error?.code).toBe('not_found');
  });

  it('follows a chain of merges', async () => {
    const [one, two, three] = [
      await createContact(acme),
      await createContact(acme),
      await createContact(acme),
    ];
    const message = await send(acme, { contact_id: one.id, scheduled_at: later() });
    await merge(acme, two.id, one.id);
    await merge(acme, three.id, two.id);
    expect((await find(acme, one.id)).id).toBe(three.id);
    expect((await find(acme, two.id)).id).toBe(three.id);
    const { value } = await acme.call<{ message: { contact_id: string } }>('get_message', {
      message_id: message.id,
    });
    expect(value.message.contact_id).toBe(three.id);
  });

  it('returns the same result in a dry run, which changes nothing', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    await send(acme, { contact_id: two.id, scheduled_at: later() });
    const response = await acme.fetch('/api/tools/merge_contacts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ contact_id: one.id, other_id: two.id, dry_run: true }),
    });
    const dry = (await response.json()) as { result: Merged };
    expect(dry.result).toMatchObject({ merged_id: two.id, moved: { messages: 1 } });
    expect((await find(acme, two.id)).id).toBe(two.id);
    const { value } = await merge(acme, one.id, two.id);
    const { contact: _, ...said } = dry.result;
    expect(value).toMatchObject(said);
  });

  it('starts the workflows of contact.merged and contact.updated, but not of contact.tagged', async () => {
    const beta = await createOrganization(switchboard);
    const on = (event: string) => createWorkflow(beta, [], { trigger: { type: 'event', event } });
    const ids = [
      await on('contact.merged'),
      await on('contact.updated'),
      await on('contact.tagged'),
    ];
    const [one, two] = [await createContact(beta), await createContact(beta, { tags: ['vip'] })];
    await switchboard.ownerQuery('delete from workflow_runs where organization_id = $1', [beta.id]);
    await merge(beta, one.id, two.id);
    const runs = await switchboard.ownerQuery<{ workflow_id: string; payload: Buffer }>(
      'select workflow_id, payload from workflow_runs where organization_id = $1',
      [beta.id],
    );
    expect(runs.map((run) => run.workflow_id).toSorted()).toEqual(
      [ids[0]!.id, ids[1]!.id].toSorted(),
    );
    const merged = runs.find((run) => run.workflow_id === ids[0]!.id)!;
    expect(JSON.parse(merged.payload.toString())).toMatchObject({
      event: 'contact.merged',
      contact: { id: one.id },
      merged_id: two.id,
    });
  });

  itSlow('can merge the contact of the run that calls it', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const given = { contact_id: one.id, other_id: '{{ contact.id }}' };
    const steps = [
      { id: 'merge', tool: 'merge_contacts', arguments: given },
      {
        id: 'name',
        tool: 'update_contact',
        arguments: { contact_id: '{{ contact.id }}', last_name: 'Step' },
      },
    ];
    const workflow = await createWorkflow(acme, steps, { trigger: { type: 'manual' } });
    const run = await start(workflow.id, two.id);
    const done = await runUntil(acme, run, 'succeeded', 'failed');
    expect(done).toMatchObject({ status: 'succeeded', contact_id: one.id });
    expect((await find(acme, one.id)).last_name).toBe('Step');
  });

  it('is in the audit log', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    await merge(acme, one.id, two.id);
    const rows = await rowsOf(
      `select action as id from audit_log where organization_id = $1 and action = 'merge_contacts'`,
    );
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe('merge_contacts with wrong arguments', () => {
  it('refuses a contact of another organization as if it did not exist', async () => {
    const beta = await createOrganization(switchboard);
    const [own, foreign] = [await createContact(acme), await createContact(beta)];
    const unknown = await merge(acme, own.id, 'con_unknown');
    for (const [contactId, otherId] of [
      [own.id, foreign.id],
      [foreign.id, own.id],
    ]) {
      const { error } = await merge(acme, contactId!, otherId!);
      expect(error).toEqual(unknown.error);
      expect(error?.code).toBe('not_found');
    }
    expect((await find(beta, foreign.id)).id).toBe(foreign.id);
  });

  it('refuses to merge a contact with itself, and to merge a contact that was merged already', async () => {
    const [one, two, three] = [
      await createContact(acme),
      await createContact(acme),
      await createContact(acme),
    ];
    expect((await merge(acme, one.id, one.id)).error?.code).toBe('invalid_arguments');
    await merge(acme, one.id, two.id);
    expect((await merge(acme, three.id, two.id)).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(one.id) as string,
    });
    expect((await merge(acme, two.id, one.id)).error?.code).toBe('invalid_arguments');
  });

  it('refuses a result with too many tags, properties or aliases, and changes nothing', async () => {
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const properties = (prefix: string) =>
      Object.fromEntries(names(prefix, 60).map((name) => [name, 1]));
    const [one, two, three, four] = [
      await createContact(acme, { tags: names('a', 30) }),
      await createContact(acme, { tags: names('b', 30) }),
      await createContact(acme, { properties: properties('a') }),
      await createContact(acme, { properties: properties('b') }),
    ];
    expect((await merge(acme, one.id, two.id)).error?.message).toContain('60 tags');
    expect((await merge(acme, three.id, four.id)).error?.message).toContain('120 properties');
    await switchboard.ownerQuery(
      `insert into contact_aliases (organization_id, kind, value, contact_id)
       select $1, 'email', n || '@many.example.com', $2 from generate_series(1, 50) n`,
      [acme.id, one.id],
    );
    expect((await merge(acme, one.id, three.id)).error?.message).toContain('51 aliases');
    expect((await find(acme, three.id)).id).toBe(three.id);
  });

  it.each([
    { contact_id: '', other_id: 'x' },
    { contact_id: 'x' },
    { contact_id: { $ne: 1 }, other_id: 'x' },
    { contact_id: "x'; drop table contacts; --", other_id: '\0' },
    { contact_id: 'x'.repeat(65), other_id: 'x' },
  ])('refuses arguments that are not ids: %j', async (given) => {
    const { error } = await acme.call('merge_contacts', given);
    expect(error?.code).toMatch(/^(invalid_arguments|not_found)$/);
  });
});
