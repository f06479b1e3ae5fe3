import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { contactsOf, importFile, rejectedRows } from './import.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

async function downloadsOf(organization: TestOrganization): Promise<object[]> {
  const given = { action: 'export_rejected_rows' };
  return (await organization.call<{ entries: object[] }>('list_audit_log', given)).value.entries;
}

const CONTACT = {
  external_id: '=HYPERLINK("http://evil.example")',
  email: 'ada@example.com',
  phone: '+4930123456',
  first_name: '@SUM(1+1)',
  last_name: '-2+3',
  tags: ['a,b'],
  properties: { formula: '\t=1', list: 'x', seats: 5 },
  consent: { email: 'denied' },
};

describe('the export of contacts', () => {
  it('escapes cells that spreadsheets would run as formulas, and an import restores their values', async () => {
    await acme.call('set_property', { name: 'seats', type: 'number' });
    await acme.call('create_contact', CONTACT);
    const response = await acme.fetch('/api/contacts/export.csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const text = await response.text();
    for (const cell of [`"'=HYPERLINK`, `"'@SUM`, `"'-2+3"`, `"'+4930123456"`]) {
      expect(text).toContain(cell);
    }
    for (const line of text.split('\r\n')) expect(line).not.toMatch(/(^|,)"?[=+\-@\t]/);
    const other = await createOrganization(switchboard);
    await other.call('set_property', { name: 'seats', type: 'number' });
    const done = await importFile(other, text);
    expect(done.counts).toMatchObject({ created: 1, failed: 0 });
    const [{ external_id, phone, first_name, last_name, tags, consent }] = (await contactsOf(
      other,
    )) as [Record<string, unknown>];
    expect({ external_id, phone, first_name, last_name, tags }).toEqual({
      external_id: CONTACT.external_id,
      phone: CONTACT.phone,
      first_name: CONTACT.first_name,
      last_name: CONTACT.last_name,
      tags: CONTACT.tags,
    });
    expect(consent).toMatchObject({ email: { status: 'denied' } });
  });

  it('has exactly the contacts of the organization', async () => {
    const other = await createOrganization(switchboard);
    await other.call('create_contact', { email: 'other@example.com' });
    const rows = Array.from({ length: 1100 }, (_, index) => `p${index}@example.com`);
    await importFile(acme, ['email', ...rows].join('\n'));
    const response = await fetch(`${switchboard.url}/api/contacts/export.csv`, {
      headers: { Authorization: `Bearer ${acme.key}` },
    });
    const lines = (await response.text()).trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[1]).sort()).toEqual(rows.sort());
  });

  it('is in the audit log with its caller and address', async () => {
    await (await acme.fetch('/api/contacts/export.csv')).text();
    const { value } = await acme.call<{ entries: object[] }>('list_audit_log', {
      action: 'export_contacts',
    });
    expect(value.entries[0]).toMatchObject({
      caller_kind: 'user',
      subject: null,
      address: expect.stringContaining('127.0.0.1'),
    });
  });

  it('needs a session or a key', async () => {
    expect((await fetch(`${switchboard.url}/api/contacts/export.csv`)).status).toBe(401);
  });
});

describe('the rejected rows', () => {
  it('have escaped formulas, and can be corrected and imported again', async () => {
    const done = await importFile(acme, 'email,first_name\nwrong,=cmd()\n');
    const response = await acme.fetch(`/api/imports/${done.id}/rejected.csv`);
    const text = await response.text();
    expect(text).toContain(`"'=cmd()"`);
    const again = await importFile(acme, text.replace('wrong', 'right@example.com'));
    expect(again.counts).toMatchObject({ created: 1, failed: 0 });
    expect(await contactsOf(acme)).toMatchObject([{ first_name: '=cmd()' }]);
  });

  it('are in the audit log with the import, the caller and the address when they are downloaded', async () => {
    const done = await importFile(acme, 'email\nwrong\n');
    await rejectedRows(acme, done.id);
    expect(await downloadsOf(acme)).toEqual([
      expect.objectContaining({
        caller_kind: 'user',
        subject: done.id,
        address: expect.stringContaining('127.0.0.1') as string,
      }),
    ]);
  });

  it('cannot be read by another organization', async () => {
    const done = await importFile(acme, 'email\nwrong\n');
    const other = await createOrganization(switchboard);
    const response = await other.fetch(`/api/imports/${done.id}/rejected.csv`);
    expect(response.status).toBe(404);
    expect(await downloadsOf(other)).toEqual([]);
    const { error } = await other.call('start_import', { import_id: done.id });
    expect(error?.code).toBe('not_found');
  });
});
