import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ContactRulesService } from '../../src/contacts/contact-rules.service.js';
import { ContactsService } from '../../src/contacts/contacts.service.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { type TestImport, upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { NO_COUNTS, contactsOf, rejectedRows, startAndWait } from './import.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  for (const event of ['contact.created', 'contact.updated']) {
    await createWorkflow(acme, [], { trigger: { type: 'event', event } });
  }
});

/**
 * Imports the file while another transaction creates a contact. That transaction commits after the import has looked up
 * the contacts of its rows, while the import waits for an identifier of the new contact.
 */
async function importDuringCreation(
  file: string,
  created: Parameters<ContactRulesService['parse']>[1],
  options: object = {},
): Promise<TestImport> {
  const { id } = await upload(acme, file);
  const contacts = switchboard.app.get(ContactsService, { strict: false });
  const rules = switchboard.app.get(ContactRulesService, { strict: false });
  let done: Promise<TestImport>;
  await switchboard.app.get(TenantDatabase).transaction(acme.id, async () => {
    const changes = await rules.parse(acme.id, created);
    await contacts.create(acme.id, changes, 'error', 'test');
    done = startAndWait(acme, id, { match_by: 'email', ...options });
    await waitFor(async () => {
      const waiting = await switchboard.ownerQuery(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query ~ '^(insert into|update) contacts '`,
      );
      return waiting.length > 0;
    });
  });
  return await done!;
}

async function countRuns(): Promise<number> {
  const sql = 'select from workflow_runs where organization_id = $1';
  return (await switchboard.ownerQuery(sql, [acme.id])).length;
}

describe('an import during the creation of a contact with an identifier of its rows', () => {
  it('keeps denials of consent and starts no workflows', async () => {
    const emails = ['a', 'b', 'c'].map((name) => `${name}@example.com`);
    for (const email of emails) {
      await acme.call('create_contact', { email, consent: { email: 'denied' } });
    }
    const rows = emails.map((email, index) => `${email},+49301234567${index},New,granted\n`);
    const runs = await countRuns();
    const done = await importDuringCreation(
      `email,phone,first_name,consent.email\n${rows.join('')}`,
      { email: 'other@example.com', phone: '+493012345671' },
    );
    expect(done.counts).toEqual({ ...NO_COUNTS, updated: 2, failed: 1 });
    expect(await rejectedRows(acme, done.id)).toEqual([
      expect.stringMatching(/^b@example\.com,.*phone belongs to the contact con_\w+\.$/),
    ]);
    const contacts = await contactsOf(acme);
    expect(contacts.map(({ email, first_name }) => [email, first_name])).toEqual([
      ...emails.map((email) => [email, email === 'b@example.com' ? null : 'New']),
      ['other@example.com', null],
    ]);
    for (const { consent } of contacts.slice(0, 3)) {
      expect(consent).toMatchObject({ email: { status: 'denied' } });
    }
    // The only new run belongs to the contact that the other transaction created.
    expect(await countRuns()).toBe(runs + 1);
  });

  it('keeps the denial of the new contact when a row updates it, and starts no workflow', async () => {
    const done = await importDuringCreation(
      'email,first_name,consent.email\nnew@example.com,Ada,granted\n',
      { email: 'new@example.com', consent: { email: 'denied' } },
    );
    expect(done.counts).toEqual({ ...NO_COUNTS, updated: 1 });
    expect(await contactsOf(acme)).toMatchObject([
      { first_name: 'Ada', consent: { email: { status: 'denied' } } },
    ]);
    expect(await countRuns()).toBe(1);
  });

  it('skips the new contact when on_existing is skip', async () => {
    const done = await importDuringCreation(
      'email,first_name\nnew@example.com,Ada\n',
      { email: 'new@example.com', first_name: 'Grace' },
      { on_existing: 'skip' },
    );
    expect(done.counts).toEqual({ ...NO_COUNTS, skipped: 1 });
    expect(await contactsOf(acme)).toMatchObject([{ first_name: 'Grace' }]);
  });
});
