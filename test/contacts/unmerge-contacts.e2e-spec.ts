import { beforeAll, describe, expect, it } from 'vitest';
import { ContactMergeRetention } from '../../src/contacts/contact-merge-retention.js';
import { send } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, getRun, runUntil } from '../workflows/support/workflow-client.js';
import { createContact, find, merge, unmerge } from './merged-contacts.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const later = () => new Date(Date.now() + 3_600_000).toISOString();
const contactOf = async (messageId: string): Promise<string | null> => {
  const { value } = await acme.call<{ message: { contact_id: string | null } }>('get_message', {
    message_id: messageId,
  });
  return value.message.contact_id;
};

describe('unmerge_contacts', () => {
  it('restores both contacts as they were', async () => {
    const one = await createContact(acme, {
      tags: ['vip'],
      properties: { plan: 'pro' },
      consent: { email: 'granted' },
    });
    const two = await createContact(acme, {
      phone: '+4930112001',
      external_id: 'un-1',
      first_name: 'Ada',
      tags: ['vip', 'beta'],
      properties: { plan: 'free', city: 'London' },
    });
    await acme.call('add_contact_alias', { contact_id: two.id, email: 'ada@alias.example.com' });
    await merge(acme, one.id, two.id);
    const { value } = await unmerge(acme, two.id);
    const unchanged = { updated_at: expect.any(String) as string };
    // Both contacts get the stricter consent, even the contact that had no consent.
    expect(value.contact).toEqual({ ...two, ...unchanged, consent: one.consent });
    expect(value.survivor).toEqual({ ...one, ...unchanged });
    expect(value).toMatchObject({ moved: { aliases: 1 }, missing: [] });
    expect(await find(acme, one.id)).toEqual(value.survivor);
    expect(await find(acme, two.id)).toEqual(value.contact);
    const { value: found } = await acme.call<{ contact: { id: string } }>('get_contact', {
      email: 'ada@alias.example.com',
    });
    expect(found.contact.id).toBe(two.id);
  });

  it('moves back the rows that the merge moved, and leaves newer rows with the survivor', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const wait = { wait_for_event: { event: 'custom.unmerged', timeout: { days: 1 } } };
    const workflow = await createWorkflow(acme, [{ id: 'answer', ...wait }], {
      trigger: { type: 'manual' },
    });
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      contact_id: two.id,
    });
    const run = started.value.run_id;
    await runUntil(acme, run, 'waiting');
    const before = await send(acme, { contact_id: two.id, scheduled_at: later() });
    const own = await send(acme, { contact_id: one.id, scheduled_at: later() });
    await merge(acme, one.id, two.id);
    const since = await send(acme, { contact_id: two.id, scheduled_at: later() });
    expect((await unmerge(acme, two.id)).value.moved).toMatchObject({
      messages: 1,
      runs: 1,
      waits: 1,
    });
    expect(await contactOf(before.id)).toBe(two.id);
    expect(await contactOf(own.id)).toBe(one.id);
    expect(await contactOf(since.id)).toBe(one.id);
    expect((await getRun(acme, run)).contact_id).toBe(two.id);
    await acme.call('emit_event', { event: 'custom.unmerged', contact_id: two.id });
    await runUntil(acme, run, 'succeeded');
  });

  it('does not take from the survivor the values that were changed after the merge', async () => {
    const one = await createContact(acme, { consent: { email: 'granted' } });
    const two = await createContact(acme, {
      first_name: 'Ada',
      last_name: 'Byron',
      tags: ['beta'],
      properties: { plan: 'free', city: 'London' },
      consent: { email: 'denied' },
    });
    await merge(acme, one.id, two.id);
    await acme.call('update_contact', {
      contact_id: one.id,
      last_name: 'Lovelace',
      tags: ['beta', 'new'],
      properties: { city: 'Paris' },
    });
    const { value } = await unmerge(acme, two.id);
    expect(value.survivor).toMatchObject({
      first_name: null,
      last_name: 'Lovelace',
      tags: ['new'],
      properties: { city: 'Paris' },
      consent: { email: { status: 'denied' } },
    });
    expect(value.contact).toMatchObject({
      last_name: 'Byron',
      tags: ['beta'],
      properties: { plan: 'free', city: 'London' },
      consent: { email: { status: 'denied' } },
    });
  });

  it('gives the restored contact a denial of consent that was recorded after the merge', async () => {
    const one = await createContact(acme);
    const two = await createContact(acme, { consent: { email: 'granted' } });
    await merge(acme, one.id, two.id);
    await acme.call('update_contact', { contact_id: one.id, consent: { email: 'denied' } });
    expect((await unmerge(acme, two.id)).value.contact.consent.email?.status).toBe('denied');
  });

  it('does not restore identifiers that another contact has now', async () => {
    const one = await createContact(acme);
    const two = await createContact(acme, { external_id: 'un-2' });
    await merge(acme, one.id, two.id);
    await acme.call('remove_contact_alias', { contact_id: one.id, email: two.email });
    const three = await createContact(acme, { email: two.email });
    const { value } = await unmerge(acme, two.id);
    expect(value).toMatchObject({
      missing: ['email'],
      contact: { email: null, external_id: 'un-2' },
    });
    expect((await find(acme, three.id)).email).toBe(two.email);
  });

  it('refuses when a contact would have no identifier, and changes nothing', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    await merge(acme, one.id, two.id);
    await acme.call('remove_contact_alias', { contact_id: one.id, email: two.email });
    await createContact(acme, { email: two.email });
    const { error } = await unmerge(acme, two.id);
    expect(error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('no identifier') as string,
    });
    expect((await find(acme, two.id)).id).toBe(one.id);
  });

  it('undoes a chain of merges from its end', async () => {
    const [one, two, three] = [
      await createContact(acme),
      await createContact(acme),
      await createContact(acme),
    ];
    const message = await send(acme, { contact_id: one.id, scheduled_at: later() });
    await merge(acme, two.id, one.id);
    await merge(acme, three.id, two.id);
    expect((await unmerge(acme, one.id)).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`unmerge_contacts with ${two.id}`) as string,
    });
    await unmerge(acme, two.id);
    expect((await find(acme, one.id)).id).toBe(two.id);
    expect(await contactOf(message.id)).toBe(two.id);
    await unmerge(acme, one.id);
    expect(await contactOf(message.id)).toBe(one.id);
    expect(await find(acme, one.id)).toMatchObject({ id: one.id, email: one.email });
  });

  it('undoes two merges into one contact in any order', async () => {
    const [one, two, three] = [
      await createContact(acme),
      await createContact(acme, { first_name: 'Two' }),
      await createContact(acme, { last_name: 'Three' }),
    ];
    await merge(acme, one.id, two.id);
    await merge(acme, one.id, three.id);
    const { value } = await acme.call<{ merges: { merged_id: string; name: string }[] }>(
      'list_contact_merges',
      { contact_id: two.id },
    );
    expect(value.merges).toMatchObject([
      { merged_id: three.id, name: 'Three' },
      { merged_id: two.id, name: 'Two' },
    ]);
    expect((await unmerge(acme, two.id)).value.survivor).toMatchObject({
      first_name: null,
      last_name: 'Three',
    });
    expect((await unmerge(acme, three.id)).value.survivor.last_name).toBeNull();
    expect((await find(acme, one.id)).email).toBe(one.email);
  });

  it('restores contacts again after a second merge', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    for (let round = 0; round < 2; round += 1) {
      await merge(acme, one.id, two.id);
      expect((await unmerge(acme, two.id)).value.contact.id).toBe(two.id);
    }
    await merge(acme, two.id, one.id);
    expect((await find(acme, one.id)).id).toBe(two.id);
  });

  it('is possible for 30 days, and the old id stays usable afterwards', async () => {
    const [one, two, three] = [
      await createContact(acme),
      await createContact(acme),
      await createContact(acme),
    ];
    await merge(acme, one.id, two.id);
    await merge(acme, one.id, three.id);
    const age = `update contact_merges set merged_at = now() - make_interval(days => $2, hours => $3) where merged_id = $1`;
    await switchboard.ownerQuery(age, [two.id, 30, 1]);
    await switchboard.ownerQuery(age, [three.id, 30, -1]);
    await switchboard.app.get(ContactMergeRetention).purge();
    const [row] = await switchboard.ownerQuery<{ undo: object | null }>(
      'select undo, moved from contact_merges where merged_id = $1',
      [two.id],
    );
    expect(row).toEqual({ undo: null, moved: null });
    expect((await unmerge(acme, two.id)).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('30 days') as string,
    });
    expect((await find(acme, two.id)).id).toBe(one.id);
    expect((await unmerge(acme, three.id)).error).toBeUndefined();
  });

  it('refuses a contact of another organization, and one that was not merged', async () => {
    const beta = await createOrganization(switchboard);
    const [one, two] = [await createContact(acme), await createContact(acme)];
    await merge(acme, one.id, two.id);
    const unknown = (await unmerge(beta, 'con_unknown')).error;
    expect(unknown?.code).toBe('not_found');
    expect((await unmerge(beta, two.id)).error).toEqual(unknown);
    expect((await unmerge(acme, one.id)).error?.code).toBe('not_found');
    expect((await beta.call('get_contact', { contact_id: two.id })).error?.code).toBe('not_found');
    const list = await beta.call('list_contact_merges', { contact_id: one.id });
    expect(list.error?.code).toBe('not_found');
  });
});
