import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { ContactPage, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

describe('delete_contact', () => {
  it('deletes the contact, makes its identifiers available, and writes to the audit log', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      email: 'gone@example.com',
    });
    const { id } = value.contact;
    expect((await acme.call('delete_contact', { contact_id: id })).value).toEqual({
      deleted: true,
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
});
