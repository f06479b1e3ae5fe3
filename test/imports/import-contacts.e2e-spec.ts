import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { itSlow } from '../support/thorough.js';
import { NO_COUNTS, contactsOf, endOf, importFile, rejectedRows, startAndWait } from './import.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

describe('an import', () => {
  itSlow('fails after five failed attempts to read a part of its file', async () => {
    const { id } = await upload(acme, 'email\nada@example.com\n');
    // The reader of rows throws an error for this mapping. This simulates a bug of the reader that occurs at one part
    // of the file.
    await switchboard.ownerQuery(
      `update imports set status = 'running', started_at = now(), attempts = 5, options = '{"mapping":null}'
       where id = $1`,
      [id],
    );
    const { status, error } = await endOf(acme, id);
    expect(status).toBe('failed');
    expect(error).toBe('The import stopped 5 times after row 1. Ask the operator for the log.');
  });

  it('is not found by an id with U+0000', async () => {
    expect((await acme.fetch('/api/imports/imp_x%00/rejected.csv')).status).toBe(404);
  });

  it('creates contacts with fields, tags, consent and typed properties', async () => {
    await acme.call('set_property', { name: 'seats', type: 'number' });
    await acme.call('set_property', { name: 'active', type: 'boolean' });
    const file =
      'E-Mail;Vorname;Seats;Active;Labels;consent.email;Notes\r\n' +
      '"Ada@Example.com";"Ada; Lovelace";5;yes;"vip, pro";yes;"line 1\r\nline 2"\r\n';
    const { id, suggested_mapping } = await upload(acme, file);
    expect(suggested_mapping).toEqual({
      'E-Mail': 'email',
      Vorname: 'first_name',
      Seats: 'properties.seats',
      Active: 'properties.active',
      Labels: 'tags',
      'consent.email': 'consent.email',
    });
    const done = await startAndWait(acme, id, {
      mapping: { ...suggested_mapping, Notes: 'properties.notes' },
    });
    expect(done).toMatchObject({
      status: 'completed',
      rows: 1,
      processed: 1,
      counts: { ...NO_COUNTS, created: 1 },
    });
    expect(await contactsOf(acme)).toMatchObject([
      {
        email: 'ada@example.com',
        first_name: 'Ada; Lovelace',
        tags: ['vip', 'pro'],
        properties: { seats: 5, active: true, notes: 'line 1\r\nline 2' },
        consent: { email: { status: 'granted', source: 'dashboard' } },
      },
    ]);
  });

  it('counts created, updated, unchanged, skipped, duplicate and failed rows, and every row once', async () => {
    for (const name of ['same', 'old']) {
      await acme.call('create_contact', { email: `${name}@example.com`, first_name: name });
    }
    const done = await importFile(
      acme,
      'email,first_name\n' +
        'new@example.com,new\n' +
        'same@example.com,same\n' +
        'old@example.com,young\n' +
        'NEW@example.com,again\n' +
        'no address,x\n' +
        ',nobody\n' +
        ',\n' +
        'last@example.com,too,many\n',
    );
    expect(done.counts).toEqual({
      created: 1,
      updated: 1,
      unchanged: 1,
      skipped: 1,
      duplicate: 1,
      failed: 3,
    });
    expect([done.rows, done.processed]).toEqual([8, 8]);
    expect(await rejectedRows(acme, done.id)).toEqual([
      'NEW@example.com,again,5,email is the same as in row 2 of the file.',
      'no address,x,6,email must be one e-mail address of at most 254 characters.',
      ',nobody,7,email is required for this import.',
      'last@example.com,too,9,"The row has 3 cells, but the file has 2 columns."',
    ]);
    expect(done.rejected).toEqual([
      { row: 5, reasons: 'email is the same as in row 2 of the file.' },
      { row: 6, reasons: 'email must be one e-mail address of at most 254 characters.' },
      { row: 7, reasons: 'email is required for this import.' },
      { row: 9, reasons: 'The row has 3 cells, but the file has 2 columns.' },
    ]);
    const names = (await contactsOf(acme)).map(({ first_name }) => first_name);
    expect(names.sort()).toEqual(['new', 'same', 'young']);
  });

  it('reports the faults that create_contact reports', async () => {
    await acme.call('set_property', { name: 'seats', type: 'number' });
    const file =
      'external_id,phone,timezone,properties.seats\n1,+9990000000,Nowhere,many\n2,,Europe/Berlin,5\n';
    const { error } = await acme.call('create_contact', {
      external_id: '1',
      phone: '+9990000000',
      timezone: 'Nowhere',
      properties: { seats: 'many' },
    });
    const done = await importFile(acme, file);
    expect(done.counts).toEqual({ ...NO_COUNTS, created: 1, failed: 1 });
    const [row] = await rejectedRows(acme, done.id);
    for (const { path, message } of error!.details!) expect(row).toContain(`${path} ${message}.`);
  });

  itSlow('finds rows that repeat an identifier of a much earlier row', async () => {
    const lines = Array.from({ length: 1200 }, (_, index) => `p${index}@example.com,${index}`);
    const file = ['email,external_id', ...lines, 'P0@EXAMPLE.COM,other', 'q@example.com,7'].join(
      '\n',
    );
    const done = await importFile(acme, file, { match_by: 'email' });
    expect(done.counts).toEqual({ ...NO_COUNTS, created: 1200, duplicate: 1, failed: 1 });
    const [seventh] = await contactsOf(acme, {
      filters: [{ field: 'external_id', operator: 'equals', value: '7' }],
    });
    expect(await rejectedRows(acme, done.id)).toEqual([
      'P0@EXAMPLE.COM,other,1202,email is the same as in row 2 of the file.',
      `q@example.com,7,1203,external_id belongs to the contact ${String(seventh!.id)}.`,
    ]);
  });

  it('counts every row as unchanged when the same file is imported again', async () => {
    const file = 'email,tags,plan\na@example.com,x,pro\nb@example.com,,\n';
    const mapping = { email: 'email', tags: 'tags', plan: 'properties.plan' };
    expect((await importFile(acme, file, { mapping })).counts.created).toBe(2);
    const before = await contactsOf(acme);
    expect((await importFile(acme, file, { mapping })).counts).toEqual({
      ...NO_COUNTS,
      unchanged: 2,
    });
    expect(await contactsOf(acme)).toEqual(before);
  });

  it('keeps fields whose cell is empty, existing tags, other properties and denials of consent', async () => {
    await acme.call('create_contact', {
      email: 'a@example.com',
      first_name: 'Ada',
      tags: ['old'],
      properties: { plan: 'pro' },
      consent: { email: 'denied' },
    });
    await importFile(
      acme,
      'email,first_name,last_name,tags,consent.email,properties.seats\na@example.com,,Lovelace,new,granted,5\n',
    );
    expect(await contactsOf(acme)).toMatchObject([
      {
        first_name: 'Ada',
        last_name: 'Lovelace',
        tags: ['old', 'new'],
        properties: { plan: 'pro', seats: '5' },
        consent: { email: { status: 'denied' } },
      },
    ]);
  });

  it('finds contacts by an alias, and keeps their own address', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'own@example.com',
    });
    const contact_id = value.contact.id;
    await acme.call('add_contact_alias', { contact_id, email: 'alias@example.com' });
    const done = await importFile(acme, 'email,first_name\nalias@example.com,Ada\n');
    expect(done.counts).toEqual({ ...NO_COUNTS, updated: 1 });
    expect(await contactsOf(acme)).toMatchObject([
      { id: contact_id, email: 'own@example.com', first_name: 'Ada' },
    ]);
    expect(await contactsOf(acme, { query: 'alias@example' })).toHaveLength(1);
  });

  it('rejects a row whose e-mail address belongs to another contact', async () => {
    await acme.call('create_contact', { email: 'a@example.com', external_id: '1' });
    await acme.call('create_contact', { email: 'b@example.com', external_id: '2' });
    const done = await importFile(acme, 'external_id,email\n1,b@example.com\n3,A@example.com\n');
    expect(done.counts).toEqual({ ...NO_COUNTS, failed: 2 });
    const rows = await rejectedRows(acme, done.id);
    for (const row of rows) expect(row).toMatch(/email belongs to the contact con_\w+\.$/);
  });

  it('skips existing contacts when on_existing is skip', async () => {
    await acme.call('create_contact', { email: 'a@example.com', first_name: 'Ada' });
    const file = 'email,first_name\na@example.com,Other\nb@example.com,Bob\n';
    const done = await importFile(acme, file, { on_existing: 'skip' });
    expect(done.counts).toEqual({ ...NO_COUNTS, created: 1, skipped: 1 });
    expect((await contactsOf(acme)).map(({ first_name }) => first_name)).toEqual(['Ada', 'Bob']);
  });

  it('changes nothing when it only checks the rows, and returns the same counts as the import', async () => {
    await acme.call('create_contact', { email: 'a@example.com', first_name: 'Ada' });
    const file =
      'email,first_name\na@example.com,Grace\nb@example.com,Bob\nB@example.com,Bob\nwrong,x\n';
    const { id } = await upload(acme, file);
    const before = await contactsOf(acme);
    const checked = await startAndWait(acme, id, { check_only: true });
    expect(checked).toMatchObject({ status: 'checked', check_only: true });
    expect(checked.counts).toEqual({
      ...NO_COUNTS,
      created: 1,
      updated: 1,
      duplicate: 1,
      failed: 1,
    });
    expect(await contactsOf(acme)).toEqual(before);
    const rejected = await rejectedRows(acme, id);
    expect(rejected).toHaveLength(2);
    const done = await startAndWait(acme, id);
    expect(done).toMatchObject({ status: 'completed', counts: checked.counts });
    expect(await rejectedRows(acme, id)).toEqual(rejected);
  });

  it('starts workflows only when start_workflows is true', async () => {
    await acme.call('create_workflow', {
      name: 'Welcome',
      trigger: { type: 'event', event: 'contact.created' },
      steps: [{ id: 'find', tool: 'search_contacts', arguments: {} }],
    });
    const runs = async () =>
      (await acme.call<{ runs: unknown[] }>('list_runs', {})).value.runs.length;
    await importFile(acme, 'email\na@example.com\n');
    expect(await runs()).toBe(0);
    await importFile(acme, 'email\na@example.com\nb@example.com\n', { start_workflows: true });
    expect(await runs()).toBe(1);
  });

  it('has one entry in the audit log for the upload and one for the start', async () => {
    await importFile(acme, 'email\na@example.com\nb@example.com\n');
    const { value } = await acme.call<{ entries: { action: string }[] }>('list_audit_log', {});
    const actions = value.entries.map(({ action }) => action);
    expect(actions.filter((action) => /import|contact/.test(action))).toEqual([
      'start_import',
      'upload_import',
    ]);
  });
});

describe('start_import', () => {
  it('refuses mappings with unknown columns, with unknown fields, and with the same field twice', async () => {
    const { id } = await upload(acme, 'email,mail\na@example.com,b@example.com\n');
    const { error } = await acme.call('start_import', {
      import_id: id,
      mapping: {
        email: 'email',
        mail: 'email',
        Plan: 'tags',
        constructor: 'properties.constructor',
      },
    });
    expect(error!.details!.map(({ path }) => path).sort()).toEqual([
      'mapping.Plan',
      'mapping.constructor',
      'mapping.mail',
    ]);
  });

  it('refuses a mapping without an identifier', async () => {
    const { id } = await upload(acme, 'name\nAda\n');
    const { error } = await acme.call('start_import', { import_id: id });
    expect(error?.message).toBe('mapping must have a column for external_id, email or phone.');
  });

  it('refuses an import that is complete', async () => {
    const { id } = await importFile(acme, 'email\na@example.com\n');
    expect((await acme.call('start_import', { import_id: id })).error?.code).toBe('conflict');
  });
});

describe('cancel_import', () => {
  it('ends an upload, which can be started again', async () => {
    const { id } = await upload(acme, 'email\na@example.com\n');
    const { value } = await acme.call<{ import: { status: string } }>('cancel_import', {
      import_id: id,
    });
    expect(value.import.status).toBe('canceled');
    expect((await acme.call('cancel_import', { import_id: id })).error?.code).toBe('conflict');
    expect((await startAndWait(acme, id)).status).toBe('completed');
  });

  it('stops an import that runs', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `p${index}@example.com`);
    const { id } = await upload(acme, ['email', ...lines].join('\n'));
    await acme.call('start_import', { import_id: id, check_only: true });
    await acme.call('cancel_import', { import_id: id });
    const { status, processed } = await endOf(acme, id);
    expect(status).toBe('canceled');
    expect(processed).toBeLessThan(20_000);
  });
});
