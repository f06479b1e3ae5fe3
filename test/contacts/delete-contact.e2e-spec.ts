import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, runToEnd } from '../workflows/support/workflow-client.js';
import type { ContactPage, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const NONE = { messages: 0, runs: 0, suppressions: 0 };

/** Creates a contact with two messages and a suppressed address. */
async function createWithTraces(email: string): Promise<string> {
  const { value } = await acme.call<ContactResult>('create_contact', {
    email,
    consent: { email: 'granted' },
  });
  for (const subject of ['One', 'Two']) {
    const { error } = await acme.call('send_message', {
      contact_id: value.contact.id,
      subject,
      body: 'Hello',
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    if (error) throw new Error(error.message);
  }
  await acme.call('suppress_address', { channel: 'email', address: email });
  return value.contact.id;
}

async function messagesOf(recipient: string): Promise<unknown[]> {
  return await switchboard.ownerQuery(
    'select id from messages where organization_id = $1 and recipient = $2',
    [acme.id, recipient],
  );
}

describe('delete_contact', () => {
  it('deletes the contact, makes its identifiers available, and writes to the audit log', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      email: 'gone@example.com',
    });
    const { id } = value.contact;
    expect((await acme.call('delete_contact', { contact_id: id })).value).toEqual({
      deleted: true,
      removed: NONE,
      kept: NONE,
    });
    expect((await acme.call('get_contact', { contact_id: id })).error?.code).toBe('not_found');
    expect((await acme.call('get_contact', { email: 'gone@example.com' })).error?.code).toBe(
      'not_found',
    );
    const page = await acme.call<ContactPage>('search_contacts', {});
    expect(page.value.contacts).toEqual([]);
    const again = await acme.call<ContactResult>('create_contact', { email: 'gone@example.com' });
    expect(again.value.created).toBe(true);
    const audit = await switchboard.ownerQuery(
      `select action from audit_log where organization_id = $1 and subject = $2 order by id`,
      [acme.id, id],
    );
    expect(audit).toEqual([{ action: 'create_contact' }, { action: 'delete_contact' }]);
  });

  it('answers not_found the second time', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', { external_id: 'twice' });
    const given = { contact_id: value.contact.id };
    await acme.call('delete_contact', given);
    const { error } = await acme.call('delete_contact', given);
    expect(error).toMatchObject({ code: 'not_found', message: 'No contact has this id.' });
  });

  it('counts the rows that stay, also in a dry run, which deletes nothing', async () => {
    const id = await createWithTraces('stays@example.com');
    const kept = { messages: 2, runs: 0, suppressions: 1 };
    const tried = await acme.fetch('/api/tools/delete_contact', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ contact_id: id, dry_run: true }),
    });
    expect(await tried.json()).toMatchObject({ result: { removed: NONE, kept } });
    const { value } = await acme.call('delete_contact', { contact_id: id });
    expect(value).toEqual({ deleted: true, removed: NONE, kept });
    expect(await messagesOf('stays@example.com')).toHaveLength(2);
  });

  it('deletes messages and suppressions of this contact only, on request', async () => {
    await createWithTraces('other@example.com');
    const id = await createWithTraces('leaves@example.com');
    const { value } = await acme.call('delete_contact', {
      contact_id: id,
      remove: ['messages', 'suppressions'],
    });
    const removed = { messages: 2, runs: 0, suppressions: 1 };
    expect(value).toEqual({ deleted: true, removed, kept: NONE });
    expect(await messagesOf('leaves@example.com')).toEqual([]);
    expect(await messagesOf('other@example.com')).toHaveLength(2);
    const { error } = await acme.call('delete_contact', { contact_id: id, remove: ['runs'] });
    expect(error?.code).toBe('invalid_arguments');
  });

  it('keeps the suppressions when a step of a workflow calls it', async () => {
    const id = await createWithTraces('step@example.com');
    const step = { id: 'delete', tool: 'delete_contact' };
    const given = { contact_id: id, remove: ['suppressions'] };
    const trigger = { type: 'manual' };
    const refused = await acme.call('create_workflow', {
      name: 'Refused',
      trigger,
      steps: [{ ...step, arguments: given }],
    });
    expect(refused.error).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: 'steps[0].arguments.remove' }],
    });
    const hidden = { contact_id: id, remove: '{{ trigger.payload.remove }}' };
    const workflow = await createWorkflow(acme, [{ ...step, arguments: hidden }], { trigger });
    const run = await runToEnd(acme, workflow.id, { remove: ['suppressions'] });
    expect(run.steps[0]!.error).toMatchObject({ code: 'forbidden' });
  });

  it('keeps the suppressions when an agent calls it', async () => {
    const id = await createWithTraces('suppressed@example.com');
    const removeAs = async (remove: string[]) => {
      const response = await acme.rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'delete_contact', arguments: { contact_id: id, remove } },
      });
      return JSON.stringify(await response.json());
    };
    expect(await removeAs(['suppressions'])).toContain('only when a person deletes the contact');
    expect(await removeAs(['messages'])).toContain('\\"deleted\\":true');
  });
});
