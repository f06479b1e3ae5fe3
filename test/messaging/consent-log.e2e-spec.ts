import { beforeAll, describe, expect, it } from 'vitest';
import { ContactsService } from '../../src/contacts/contacts.service.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { ChannelConsentService } from '../../src/topics/channel-consent.service.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';
import { merge } from '../contacts/merged-contacts.js';
import { createContact } from './support.js';

interface Change {
  kind: string;
  name: string;
  from: string | null;
  to: string | null;
  source: string;
  evidence: Record<string, string> | null;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'news', title: 'News' });
});

const pageOf = (contact_id: string, more: object = {}, by = acme) =>
  by.call<{ changes: Change[]; next_cursor: string | null }>('list_consent_changes', {
    contact_id,
    ...more,
  });
/** Returns the changes of a contact as `channel email null > granted by dashboard`, oldest first. */
const logOf = async (contactId: string): Promise<string[]> => {
  const { changes } = (await pageOf(contactId, { limit: 100 })).value;
  return changes
    .toReversed()
    .map(({ kind, name, from, to, source }) => `${kind} ${name} ${from} > ${to} by ${source}`);
};

describe('the log of consent', () => {
  it('has each change of consent to a channel, and no repetition', async () => {
    const { id } = await createContact(acme, { consent: { email: 'granted' } });
    const update = (consent: object) => acme.call('update_contact', { contact_id: id, consent });
    await update({ email: 'granted' });
    await update({ email: 'denied', sms: 'granted' });
    await acme.call('update_contact', { contact_id: id, first_name: 'Ada' });
    expect((await logOf(id)).toSorted()).toEqual([
      'channel email granted > denied by dashboard',
      'channel email null > granted by dashboard',
      'channel sms null > granted by dashboard',
    ]);
    const { id: other } = await createContact(acme);
    expect(await logOf(other)).toEqual([]);
  });

  it('has each decision about a topic with its evidence', async () => {
    const { id } = await createContact(acme);
    const given = { contact_id: id, topic: 'news' };
    const evidence = {
      text: 'Paper form\u0000 of 3 May\r\n',
      ip: '192.0.2.1',
      user_agent: 'Firefox',
    };
    const wrong = await acme.call('set_topic_subscription', {
      ...given,
      subscribed: true,
      evidence,
    });
    expect(wrong.error?.code).toBe('invalid_arguments');
    evidence.text = 'Paper form of 3 May\r\nsigned';
    await acme.call('set_topic_subscription', { ...given, subscribed: true, evidence });
    await acme.call('set_topic_subscription', { ...given, subscribed: true });
    await acme.call('set_topic_subscription', { ...given, subscribed: false });
    expect(await logOf(id)).toEqual([
      'topic news null > subscribed by dashboard',
      'topic news subscribed > unsubscribed by dashboard',
    ]);
    const { changes } = (await pageOf(id)).value;
    expect(changes[1]!.evidence).toEqual({
      text: 'Paper form of 3 May signed',
      ip: '192.0.2.1',
      user_agent: 'Firefox',
    });
  });

  it('names an import as the source of its changes', async () => {
    const email = `imported.${acme.id.toLowerCase()}@example.com`;
    const { id } = await createContact(acme, { email });
    const { id: importId } = await upload(acme, `email,consent.email\n${email},denied\n`);
    await acme.call('start_import', { import_id: importId, on_existing: 'update' });
    const log = await waitFor(async () => {
      const changes = await logOf(id);
      return changes.length > 0 ? changes : undefined;
    });
    expect(log).toEqual(['channel email null > denied by import']);
  });

  it('moves to the survivor of a merge, and returns when the merge is undone', async () => {
    const one = await createContact(acme, { consent: { email: 'granted' } });
    const other = await createContact(acme, { consent: { email: 'denied' } });
    await acme.call('set_topic_subscription', {
      contact_id: other.id,
      topic: 'news',
      subscribed: true,
    });
    await merge(acme, one.id, other.id);
    expect((await logOf(one.id)).toSorted()).toEqual([
      'channel email granted > denied by merge',
      'channel email null > denied by dashboard',
      'channel email null > granted by dashboard',
      'topic news null > subscribed by dashboard',
      'topic news null > subscribed by merge',
    ]);
    await acme.call('unmerge_contacts', { merged_id: other.id });
    expect((await logOf(other.id)).filter((line) => !line.endsWith('by unmerge'))).toEqual([
      'channel email null > denied by dashboard',
      'topic news null > subscribed by dashboard',
    ]);
    expect((await logOf(one.id)).toSorted()).toEqual([
      'channel email granted > denied by merge',
      'channel email null > granted by dashboard',
      'topic news null > subscribed by merge',
    ]);
  });

  it('has the evidence of a change only in the entry of this change, even when one transaction makes two changes', async () => {
    const { id } = await createContact(acme);
    const get = <T>(type: new (...given: never[]) => T): T =>
      switchboard.app.get(type, { strict: false });
    await get(TenantDatabase).transaction(acme.id, async () => {
      const origin = { source: 'sms_stop', evidence: { text: 'STOP' } };
      await get(ChannelConsentService).decide(acme.id, id, 'sms', 'denied', origin);
      const changes = { consent: { email: 'granted' } } as const;
      await get(ContactsService).update(acme.id, id, changes, 'workflow');
    });
    expect((await pageOf(id)).value.changes).toMatchObject([
      { name: 'email', source: 'workflow', evidence: null },
      { name: 'sms', source: 'sms_stop', evidence: { text: 'STOP' } },
    ]);
  });

  it('can be changed by no role except the owner of the database', async () => {
    const rows = await switchboard.ownerQuery<{ privilege: string }>(
      `select distinct privilege_type as privilege from information_schema.column_privileges
       where table_name = 'consent_changes' and grantee <> current_user
       union select privilege_type from information_schema.table_privileges
       where table_name = 'consent_changes' and grantee <> current_user`,
    );
    expect(rows).toEqual([{ privilege: 'SELECT' }]);
  });

  it('is deleted together with its contact', async () => {
    const { id } = await createContact(acme, { consent: { email: 'granted' } });
    expect(await logOf(id)).toHaveLength(1);
    await acme.call('delete_contact', { contact_id: id });
    const sql = 'select from consent_changes where organization_id = $1 and contact_id = $2';
    expect(await switchboard.ownerQuery(sql, [acme.id, id])).toEqual([]);
    expect((await pageOf(id)).error?.code).toBe('not_found');
  });

  it('is returned in pages, and to its organization only', async () => {
    const { id } = await createContact(acme);
    for (const status of ['granted', 'denied', 'granted']) {
      await acme.call('update_contact', { contact_id: id, consent: { sms: status } });
    }
    const first = (await pageOf(id, { limit: 2 })).value;
    const second = (await pageOf(id, { limit: 2, cursor: first.next_cursor })).value;
    expect([...first.changes, ...second.changes].map(({ to }) => to)).toEqual([
      'granted',
      'denied',
      'granted',
    ]);
    expect(second.next_cursor).toBeNull();
    const beta = await createOrganization(switchboard);
    expect((await pageOf(id, {}, beta)).error?.code).toBe('not_found');
  });
});
