import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addVerified, type SenderSetup, startWithNames } from '../senders/sender.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, send, untilStatus } from './support.js';

interface TestFile {
  id: string;
  name: string;
  content_type: string;
  size: number;
  sha256: string;
}

const MEGABYTE = 1024 * 1024;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let setup: SenderSetup;
let acme: TestOrganization;
let contactId: string;
beforeAll(async () => {
  setup = await startWithNames();
  acme = await createOrganization(setup.switchboard);
  ({ id: contactId } = await createContact(acme));
});
afterAll(() => setup.close());

async function uploadTo(
  organization: TestOrganization,
  body: Buffer | FormData,
  { name, type }: { name?: string; type?: string } = {},
): Promise<Response> {
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
  return await organization.fetch(`/api/files${query}`, {
    method: 'POST',
    body: body as RequestInit['body'],
    ...(type !== undefined && { headers: { 'Content-Type': type } }),
  });
}

async function upload(
  bytes: Buffer | FormData,
  facts: { name?: string; type?: string } = {},
  organization = acme,
): Promise<TestFile> {
  const answer = await uploadTo(organization, bytes, facts);
  const body = (await answer.json()) as { file: TestFile };
  expect(answer.status, JSON.stringify(body)).toBe(201);
  return body.file;
}

async function sentMail(fields: Record<string, unknown>): Promise<string> {
  const { id } = await send(acme, { contact_id: contactId, ...fields });
  await untilStatus(acme, id, 'sent');
  return await readFile(join(setup.switchboard.dataDir, 'outbox', `${id}.eml`), 'latin1');
}

/** Returns the parts of an e-mail with attachments: their headers, unfolded, and their bytes. */
function partsOf(mail: string): { headers: string; bytes: Buffer }[] {
  return mail
    .split(/\r\n--[^\r\n]+\r\n/)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const headers = part.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
      const content = part.slice(end + 4).split('\r\n--')[0]!;
      return { headers, bytes: Buffer.from(content, 'base64') };
    });
}

async function faultOf(fields: object, organization = acme): Promise<unknown> {
  const { id } = await createContact(organization);
  const given = { contact_id: id, subject: 'a', body: 'b', ...fields };
  return (await organization.call('send_message', given)).error;
}

describe('attachments of send_message', () => {
  it('are sent with their names, types and bytes, and again at each attempt', async () => {
    const bytes = randomBytes(700_000);
    const file = await upload(bytes, { name: 'Preise für März.pdf', type: 'application/pdf' });
    expect(file).toMatchObject({
      id: expect.stringMatching(/^fil_[\w-]{22}$/),
      name: 'Preise für März.pdf',
      content_type: 'application/pdf',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const mail = await sentMail({
      attachments: [{ file_id: file.id }, { file_id: file.id, name: 'copy.pdf' }],
    });
    const parts = partsOf(mail).filter(({ headers }) => headers.includes('application/pdf'));
    expect(parts.map((part) => part.bytes.equals(bytes))).toEqual([true, true]);
    // RFC 2231
    expect(parts[0]!.headers).toMatch(
      /Content-Disposition: attachment;\s+filename\*0\*=utf-8''Preise%20f%C3%BCr%20M%C3%A4rz\.pdf/,
    );
    expect(parts[1]!.headers).toContain('filename=copy.pdf');
  });

  it('can be shown as images inside the HTML by their cid', async () => {
    const file = await upload(PIXEL, { name: 'logo.png', type: 'image/png' });
    const html = '<p><img src="cid:logo" alt="Acme"></p>';
    const attachments = [{ file_id: file.id, cid: 'logo' }];
    const mail = await sentMail({ html, body: undefined, attachments });
    expect(mail).toMatch(/^Content-Type: multipart\/(?:related|alternative)/m);
    expect(mail).toContain('multipart/related');
    const [image] = partsOf(mail).filter(({ headers }) => headers.includes('image/png'));
    expect(image!.headers).toContain('Content-ID: <logo>');
    expect(image!.headers).toContain('Content-Disposition: inline');
    expect(image!.bytes).toEqual(PIXEL);
  });

  itSlow('are covered by the signature of a verified domain', async () => {
    const { dkimVerify } = await import('mailauth/lib/dkim/verify.js');
    await addVerified(setup, acme, 'files.example');
    // The second e-mail is too large to be composed in memory.
    for (const size of [1000, MEGABYTE]) {
      const file = await upload(randomBytes(size), { name: 'ü.bin' });
      const mail = await sentMail({
        from: 'a@files.example',
        html: '<p>ü</p>',
        attachments: [{ file_id: file.id }],
      });
      const resolver = (name: string): Promise<string[][]> =>
        Promise.resolve((setup.records.get(name.toLowerCase()) ?? []).map((text) => [text]));
      const check = async (text: string): Promise<unknown> => {
        const { results } = await dkimVerify(Buffer.from(text, 'latin1'), { resolver });
        return (results as { status: { result: string } }[])[0]!.status.result;
      };
      expect(await check(mail), `${size} bytes`).toBe('pass');
      const at = mail.length - 200;
      const other = mail[at] === 'A' ? 'B' : 'A';
      expect(await check(mail.slice(0, at) + other + mail.slice(at + 1))).not.toBe('pass');
    }
  });

  itSlow('have at most 10 MiB together', async () => {
    const files = [
      await upload(Buffer.alloc(6 * MEGABYTE)),
      await upload(Buffer.alloc(4 * MEGABYTE + 1)),
    ];
    const attachments = files.map(({ id }) => ({ file_id: id }));
    expect(await faultOf({ attachments })).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: 'attachments' }],
    });
    const larger = await uploadTo(acme, Buffer.alloc(10 * MEGABYTE + 1));
    expect(larger.status).toBe(413);
  });

  it('are files of the organization only', async () => {
    const other = await createOrganization(setup.switchboard);
    const file = await upload(Buffer.from('a'), {}, other);
    const foreign = await faultOf({ attachments: [{ file_id: file.id }] });
    expect(foreign).toMatchObject({ code: 'not_found' });
    const unknown = 'fil_AAAAAAAAAAAAAAAAAAAAAA';
    expect(await faultOf({ attachments: [{ file_id: unknown }] })).toEqual(foreign);
    expect((await acme.fetch(`/api/files/${file.id}`)).status).toBe(404);
  });

  it.each([
    ['a folder', { name: '../etc/passwd' }],
    ['a folder of Windows', { name: 'a\\b.exe' }],
    ['a line break', { name: 'a.pdf\r\nBcc: eve@evil.example' }],
    ['U+0000', { name: 'a\u0000.pdf' }],
    ['a bidi control', { name: 'a\u202efdp.exe' }],
    ['10,000 characters', { name: 'a'.repeat(10_000) }],
    ['no characters', { name: '' }],
    ['a cid without html', { cid: 'logo' }],
    ['a cid that would end its header', { cid: 'a>\r\nX: <b', html: '<p>a</p>' }],
  ])('are refused with %s', async (_case, { html, ...fields }: Record<string, string>) => {
    const file = await upload(PIXEL, { name: 'logo.png', type: 'image/png' });
    const fault = await faultOf({ attachments: [{ file_id: file.id, ...fields }], html });
    expect(fault).toMatchObject({ code: 'invalid_arguments' });
    expect(JSON.stringify(fault)).toContain('attachments[0]');
  });

  it.each([
    ['text/html; charset=utf-8', 'text/html'],
    ['message/rfc822', 'application/octet-stream'],
    ['multipart/mixed; boundary=x', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
    ['text/plain; name="a\u00fc"', 'application/octet-stream'],
  ])('with the type %j are sent as %s', async (type, expected) => {
    const contentType = Buffer.from(type, 'utf8').toString('latin1');
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${acme.key}`, 'Content-Type': contentType };
      const { url } = setup.switchboard;
      const sent = request(`${url}/api/files?name=x`, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (data: Buffer) => (text += data.toString()));
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end('bytes');
    });
    const { file } = JSON.parse(answer) as { file: TestFile };
    const mail = await sentMail({ attachments: [{ file_id: file.id }] });
    const [part] = partsOf(mail).filter(({ headers }) => headers.includes('filename=x'));
    expect(part!.headers).toMatch(new RegExp(`^Content-Type: ${expected}(?:;|$)`, 'm'));
    expect(part!.bytes.toString()).toBe('bytes');
  });
});

describe('POST /api/files', () => {
  it('accepts an API key, and a form with a file, and removes folders from its name', async () => {
    const form = new FormData();
    form.append('file', new Blob(['hello'], { type: 'text/plain' }), '../../a\u202eb.txt');
    const answer = await fetch(`${setup.switchboard.url}/api/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}` },
      body: form,
    });
    expect(answer.status).toBe(201);
    const { file } = (await answer.json()) as { file: TestFile };
    expect(file).toMatchObject({ name: 'ab.txt', content_type: 'text/plain', size: 5 });
    const saved = await acme.fetch(`/api/files/${file.id}`);
    expect(await saved.text()).toBe('hello');
    expect((await fetch(`${setup.switchboard.url}/api/files`, { method: 'POST' })).status).toBe(
      401,
    );
  });

  it('is forbidden for a key that may not send messages', async () => {
    const other = await createOrganization(setup.switchboard);
    const created = await other.fetch('/api/mcp/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ read_only: true }),
    });
    const { api_key: key } = (await created.json()) as { api_key: string };
    const answer = await fetch(`${setup.switchboard.url}/api/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: 'a',
    });
    expect(answer.status).toBe(403);
  });

  it('does not store an upload that ends early, and counts stored files in the quota', async () => {
    const other = await createOrganization(setup.switchboard);
    const { switchboard } = setup;
    const { url } = switchboard;
    const rows = () =>
      switchboard.ownerQuery('select is_uploading from files where organization_id = $1', [
        other.id,
      ]);
    const headers = { Authorization: `Bearer ${other.key}`, 'Content-Length': '1000000' };
    const broken = request(`${url}/api/files`, { method: 'POST', headers });
    broken.on('error', () => undefined);
    broken.write(Buffer.alloc(600_000));
    await waitFor(async () => (await rows()).length === 1);
    broken.destroy();
    await waitFor(async () => (await rows()).length === 0);
    await upload(Buffer.alloc(100_000), {}, other);
    const [{ bytes } = { bytes: 0 }] = await switchboard.ownerQuery<{ bytes: number }>(
      'select private.stored_bytes($1, 0, 0, 1000)::int as bytes',
      [other.id],
    );
    expect(bytes).toBeGreaterThanOrEqual(100_000);
    await switchboard.ownerQuery(
      `insert into private.quota_exceptions (organization_id, name, amount) values ($1, 'stored_bytes', 1)
       on conflict (organization_id, name) do update set amount = 1`,
      [other.id],
    );
    await switchboard.ownerQuery('select gate.measure_quotas($1)', [other.id]);
    expect((await uploadTo(other, Buffer.from('a'))).status).toBe(429);
  });
});

describe('a stored file', () => {
  it('is deleted 30 days after its upload, but not while a message that sends it exists', async () => {
    const { switchboard } = setup;
    const [used, unused, fresh] = [
      await upload(Buffer.from('used')),
      await upload(Buffer.from('unused')),
      await upload(Buffer.from('fresh')),
    ];
    const { id } = await send(acme, {
      contact_id: contactId,
      attachments: [{ file_id: used.id }],
    });
    await untilStatus(acme, id, 'sent');
    await switchboard.ownerQuery(
      `update files set created_at = now() - interval '31 days' where id = any($1)`,
      [[used.id, unused.id]],
    );
    const left = async (): Promise<unknown[]> => {
      await switchboard.ownerQuery('select gate.purge_uploads(30, 1000)');
      const rows = await switchboard.ownerQuery<{ id: string }>(
        'select id from files where id = any($1)',
        [[used.id, unused.id, fresh.id]],
      );
      return rows.map((row) => row.id).sort();
    };
    expect(await left()).toEqual([used.id, fresh.id].sort());
    await switchboard.ownerQuery('delete from messages where id = $1', [id]);
    expect(await left()).toEqual([fresh.id]);
  });

  it('that a step made is copied into the message, and stays when its run is deleted', async () => {
    const { switchboard } = setup;
    const { value } = await acme.call<{ workflow: { id: string } }>('create_workflow', {
      name: 'Any',
      trigger: { type: 'manual' },
      steps: [{ id: 'find', tool: 'search_contacts', arguments: {} }],
    });
    const { value: started } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: value.workflow.id,
    });
    const fileId = 'fil_ofARunofARunofARunofAR';
    const digest = createHash('sha256').update('step').digest();
    await switchboard.ownerQuery(
      `insert into files (organization_id, id, run_id, name, content_type, size, sha256)
       values ($1, $2, $3, 'step.txt', 'text/plain', 4, $4)`,
      [acme.id, fileId, started.run_id, digest],
    );
    await switchboard.ownerQuery(`insert into file_chunks values ($1, $2, 0, 'step')`, [
      acme.id,
      fileId,
    ]);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await send(acme, {
      contact_id: contactId,
      attachments: [{ file_id: fileId }],
      scheduled_at: at,
    });
    await switchboard.ownerQuery('delete from workflow_runs where id = $1', [started.run_id]);
    await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
    await untilStatus(acme, id, 'sent');
    const file = join(setup.switchboard.dataDir, 'outbox', `${id}.eml`);
    const mail = await readFile(file, 'latin1');
    const [part] = partsOf(mail).filter(({ headers }) => headers.includes('step.txt'));
    expect(part!.bytes.toString()).toBe('step');
  });
});
