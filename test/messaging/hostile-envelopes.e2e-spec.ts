import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSql, SqlTools, type SqlOutcome } from '../database/sql-tools.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, getMessage, listOutbox, readEml, send, untilStatus } from './support.js';

let switchboard: Switchboard;
let hostile: TestOrganization;
let contact: { id: string; email: string };

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [SqlTools] });
  hostile = await createOrganization(switchboard, 'Hostile');
  contact = await createContact(hostile);
});
afterAll(() => switchboard.close());

let count = 0;
const newId = (): string => `msg_${String((count += 1)).padStart(22, '0')}`;

/** Stores a queued e-mail as SQL of a tool can. */
async function insertMessage(id: string, envelope: object | null): Promise<SqlOutcome[]> {
  return await runSql(
    hostile,
    `insert into messages (organization_id, id, contact_id, channel, direction, recipient, subject, body, status, envelope)
     values ('${hostile.id}', '${id}', '${contact.id}', 'email', 'outbound', '${contact.email}', 'Subject',
       'As logged', 'queued', ${envelope ? `'${JSON.stringify(envelope)}'` : 'null'})`,
  );
}

describe('an e-mail that SQL of a tool stores', () => {
  it('goes to the address and has the text that the log shows, whatever its envelope contains', async () => {
    const id = newId();
    const otherId = newId();
    const outcomes = await insertMessage(id, {
      id: otherId,
      to: 'stranger@example.com',
      subject: 'Other',
      text: 'Other text',
      html: '<p>Other text</p>',
      unsubscribe: 'https://evil.example/',
      key: { domain: 'victim.example', selector: 'a', privateKey: 'x' },
      replyTo: { name: 'Ada', address: 'ada@example.com' },
    });
    expect(outcomes).toEqual([{ rows: [] }]);
    await untilStatus(hostile, id, 'sent');
    const { headers, text } = await readEml(switchboard, id);
    expect(headers.get('to')).toBe(contact.email);
    expect(headers.get('subject')).toBe('Subject');
    expect(headers.get('reply-to')).toBe('Ada <ada@example.com>');
    expect(text.trim()).toBe('As logged');
    expect(await listOutbox(switchboard)).not.toContain(`${otherId}.eml`);
  });

  it('is refused when its envelope has a header with a line break', async () => {
    const id = newId();
    await insertMessage(id, {
      replyTo: { name: 'Ada\r\nBcc: eve@example.com', address: 'ada@example.com' },
    });
    expect(await untilStatus(hostile, id, 'failed')).toMatchObject({
      reason_code: 'render_failed',
    });
    expect(await listOutbox(switchboard)).not.toContain(`${id}.eml`);
  });

  it('cannot have an id that names a file outside of the outbox', async () => {
    const outside = join(switchboard.dataDir, 'outside.eml');
    const [outcome] = await insertMessage('/../outside', null);
    const other = await send(hostile, { contact_id: contact.id });
    await untilStatus(hostile, other.id, 'sent');
    if ('rows' in outcome!) await waitFor(() => existsSync(outside) || undefined);
    expect(existsSync(outside)).toBe(false);
    expect(outcome).toEqual({ error: expect.stringContaining('messages_id_check') });
  });

  it('does not replace the file of another message, which had the same id', async () => {
    const id = newId();
    const file = join(switchboard.dataDir, 'outbox', `${id}.eml`);
    await writeFile(file, 'the e-mail of another organization');
    await insertMessage(id, null);
    await waitFor(async () => (await getMessage(hostile, id)).status !== 'queued' || undefined);
    await waitFor(async () => (await getMessage(hostile, id)).status !== 'sending' || undefined);
    expect(await readFile(file, 'utf8')).toBe('the e-mail of another organization');
  });
});
