import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallTurns } from '../../src/http/call-turns.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { type TestImport, tryUpload, upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';
import { contactsOf, startAndWait } from './import.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

/** Uploads a file that must be refused, and returns the message. Nothing may be stored. */
async function refused(
  file: string | Uint8Array,
  query = '',
  headers: Record<string, string> = {},
): Promise<{ status: number; detail: string }> {
  const response = await tryUpload(acme, file, query, headers);
  const { detail } = (await response.json()) as { detail: string };
  const rows = await switchboard.ownerQuery(
    'select id from imports where organization_id = $1 union all select import_id from import_chunks where organization_id = $1',
    [acme.id],
  );
  expect(rows).toEqual([]);
  return { status: response.status, detail };
}

async function listed(): Promise<TestImport[]> {
  return (await acme.call<{ imports: TestImport[] }>('list_imports', {})).value.imports;
}

itSlow('an upload stores no empty lines, however many the file has', async () => {
  const empty = '\n'.repeat(5 * 1024 * 1024);
  const uploaded = await upload(acme, `email\na@example.com\n${empty}b@example.com\n`);
  expect(uploaded.rows).toBe(2);
  const [stored] = await switchboard.ownerQuery<{ bytes: number }>(
    'select max(length(bytes)) as bytes from import_chunks where organization_id = $1',
    [acme.id],
  );
  expect(stored!.bytes).toBeLessThan(200_000);
  expect(await startAndWait(acme, uploaded.id)).toMatchObject({ processed: 2 });
});

describe('the encoding of an upload', () => {
  const TEXT = 'email,first_name\nzoe@example.com,Zoë\n';

  it.each([
    ['utf-8', 'UTF-8', Buffer.from(TEXT)],
    ['utf-8', 'UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['utf-16le', 'UTF-16 LE', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['utf-16be', 'UTF-16 BE', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
    ['windows-1252', 'bytes that are not UTF-8', Buffer.from(TEXT, 'latin1')],
  ])('is detected: %s for %s', async (encoding, _name, bytes) => {
    const uploaded = await upload(acme, bytes);
    expect(uploaded).toMatchObject({
      encoding,
      columns: ['email', 'first_name'],
      preview: [{ cells: ['zoe@example.com', 'Zoë'] }],
      rows: 1,
    });
    await startAndWait(acme, uploaded.id);
    expect(await contactsOf(acme)).toMatchObject([{ first_name: 'Zoë' }]);
  });

  it('is windows-1252 for the whole file when bytes far from the beginning are not UTF-8', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `p${index}@example.com,\u0080`);
    const bytes = Buffer.from(
      ['email,first_name', ...rows, 'z@example.com,\u00eb'].join('\n'),
      'latin1',
    );
    const uploaded = await upload(acme, bytes);
    expect(uploaded).toMatchObject({ encoding: 'windows-1252', rows: 30_001 });
    expect(uploaded.preview[0]!.cells[1]).toBe('€');
  });

  it('is refused when the caller chose UTF-8 and a row is not valid UTF-8', async () => {
    const { status, detail } = await refused(Buffer.from(TEXT, 'latin1'), '?encoding=utf-8');
    expect(status).toBe(422);
    expect(detail).toContain('not valid UTF-8');
  });

  it('is windows-1252 when the caller chose this encoding', async () => {
    const { preview } = await upload(acme, Buffer.from(TEXT), '?encoding=windows-1252');
    expect(preview[0]!.cells[1]).toBe('ZoÃ«');
  });
});

describe('the rows of an upload', () => {
  it.each([
    [',', 'email,first_name\na@example.com,"A; B"\n'],
    [';', 'email;first_name\na@example.com;"A, B"\n'],
    ['\t', 'email\tfirst_name\r\na@example.com\tA, B\r\n'],
    ['|', 'email|first_name\ra@example.com|A\r'],
  ])('are split at the delimiter %j', async (delimiter, file) => {
    const uploaded = await upload(acme, file);
    expect(uploaded).toMatchObject({ delimiter, columns: ['email', 'first_name'], rows: 1 });
  });

  it('are split at the delimiter that the caller chose', async () => {
    const { columns } = await upload(acme, 'a,b;c\n1,2;3\n', '?delimiter=;');
    expect(columns).toEqual(['a,b', 'c']);
  });

  it('can have quotes, line breaks in quotes, empty lines and mixed line ends', async () => {
    const file =
      'email,first_name\r\n\r\n"a@example.com","say ""hi""\r\nthere"\nb@example.com,5" pipe\r"c@example.com"x,y\n\n';
    const { rows, preview } = await upload(acme, file);
    expect(rows).toBe(3);
    expect(preview.map(({ cells }) => cells)).toEqual([
      ['a@example.com', 'say "hi"\r\nthere'],
      ['b@example.com', '5" pipe'],
      ['"c@example.com"x', 'y'],
    ]);
  });

  it('get unique names of columns, even if names are missing or equal in the file', async () => {
    const { columns } = await upload(acme, 'email,,email,\u202e\u0007x\n1,2,3,4\n');
    expect(columns).toEqual(['email', 'Column 2', 'email (2)', 'x']);
  });
});

describe('an upload', () => {
  afterEach(() => vi.restoreAllMocks());

  it('takes a turn of its organization before each part of its work that takes long', async () => {
    const take = vi.spyOn(switchboard.app.get(CallTurns), 'takeForBody');
    const columns = Array.from({ length: 500 }, (_, index) => `${index}${'\u0080'.repeat(500)}`);
    const file = Buffer.from(`${columns.join()}\n${columns.join()}\n`, 'latin1');
    await upload(acme, file, '?encoding=windows-1252&delimiter=,');
    const calls = take.mock.calls.filter(([organizationId]) => organizationId === acme.id);
    const firstPart = file.indexOf('\n') + 1;
    // The turns are those of the sample, of cutting the sample into parts, and of the preview.
    expect(calls.map(([, bytes]) => bytes)).toEqual([file.length, file.length, firstPart]);
  });

  it('takes a turn for each delimiter that it tries', async () => {
    const take = vi.spyOn(switchboard.app.get(CallTurns), 'takeForBody');
    const file = 'email;phone\na@example.com;\n'.repeat(10_000);
    await upload(acme, file);
    const tried = take.mock.calls.filter(([, bytes]) => bytes === 64 * 1024);
    expect(tried).toEqual(Array.from({ length: 4 }, () => [acme.id, 64 * 1024]));
  });

  it('accepts a file in a form, sent with an API key', async () => {
    const form = new FormData();
    form.append('note', 'first');
    form.append('file', new Blob(['email\na@example.com\n']), 'people.csv');
    const response = await fetch(`${switchboard.url}/api/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}` },
      body: form,
    });
    expect(response.status).toBe(201);
    const { import: uploaded } = (await response.json()) as { import: TestImport };
    expect(uploaded).toMatchObject({ name: 'people.csv', rows: 1, status: 'uploaded' });
  });

  it('removes folders, control characters and bidi controls from a file name', async () => {
    const name = encodeURIComponent('../../etc/\u202e\r\n"vsc.exe');
    expect((await upload(acme, 'email\na@example.com\n', `?name=${name}`)).name).toBe('vsc.exe');
  });

  it('is refused without a session or key, from a page of another site, and with a read-only key', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${switchboard.url}/api/imports`, { method: 'POST', headers, body: 'email\na@b.c\n' });
    expect((await send({})).status).toBe(401);
    expect((await send({ Authorization: 'Bearer wrong' })).status).toBe(401);
    const foreign = { Cookie: acme.cookie, Origin: 'https://evil.example' };
    expect((await send(foreign)).status).toBe(403);
    const created = await acme.fetch('/api/mcp/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ read_only: true }),
    });
    const { api_key: key } = (await created.json()) as { api_key: string };
    expect((await send({ Authorization: `Bearer ${key}` })).status).toBe(403);
  });

  it.each([
    ['an empty file', '', /empty/],
    ['a file with names of columns only', 'email,phone\n', /no rows/],
    [
      '10,000 columns',
      `${'a,'.repeat(9999)}a\n1\n`,
      /Row 1 .*more than 500 cells.*at most 500 columns/,
    ],
    ['501 columns', `${'a,'.repeat(500)}a\n1\n`, /Row 1 .*more than 500 cells/],
    ['a row of 10,000 cells', `email\na${',b'.repeat(9999)}\n`, /Row 2 .*more than 5000 cells/],
    ['a field without an end', `email\n"${'x'.repeat(300_000)}`, /Row 2 .*is not closed/],
    ['a row without an end', `email\n${'x'.repeat(300_000)}`, /Row 2 .*is not CSV/],
    [
      'a quote that is not closed',
      'email\na@example.com\n"b@example.com\n',
      /Row 3 .*without an end/,
    ],
    ['a spreadsheet', 'PK\u0003\u0004rest', /spreadsheet/],
    ['UTF-16 without a byte order mark', Buffer.from('email\na', 'utf16le'), /UTF-16/],
  ])('is refused for %s, and nothing is stored', async (_name, file, message) => {
    const { status, detail } = await refused(file);
    expect(status).toBe(422);
    expect(detail).toMatch(message);
  });

  itSlow(
    'is refused for a field without a closing quote after many rows, and nothing is stored',
    async () => {
      const rows = Array.from({ length: 60_000 }, (_, index) => `p${index}@example.com`);
      const { detail } = await refused(['email', ...rows, `"${'x'.repeat(300_000)}`].join('\n'));
      expect(detail).toMatch(/^Row 60002 of the file is longer than 262144 bytes/);
    },
  );

  it('is refused for other content types, compressed bodies, and unknown encodings and delimiters', async () => {
    const csv = 'email\na@example.com\n';
    expect((await refused(csv, '', { 'Content-Type': 'application/json' })).status).toBe(415);
    expect((await refused(csv, '', { 'Content-Encoding': 'gzip' })).status).toBe(415);
    expect((await refused(csv, '?encoding=utf-7')).status).toBe(422);
    expect((await refused(csv, '?delimiter=x')).status).toBe(422);
  });

  it.each([10, 10_000, 100_000, 1_000_000])(
    'is refused when its form has a part of %d bytes without a name',
    async (size) => {
      const form = `--X\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(size)}\r\n--X--\r\n`;
      const type = { 'Content-Type': 'multipart/form-data; boundary=X' };
      const { status, detail } = await refused(form, '', type);
      expect({ status, detail }).toEqual({ status: 400, detail: 'The form has no file. Add one.' });
    },
  );

  it('stores nothing when the sender disconnects', async () => {
    const sent = request(`${switchboard.url}/api/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'text/csv' },
    });
    sent.on('error', () => undefined);
    const count = () =>
      switchboard.ownerQuery('select id from imports where organization_id = $1', [acme.id]);
    sent.write(`email\n${'person@example.com\n'.repeat(100_000)}`);
    await waitFor(async () => (await count()).length === 1);
    sent.destroy();
    await waitFor(async () => (await count()).length === 0);
  });

  it('is refused when the import was canceled meanwhile, and the import stays canceled', async () => {
    const sent = request(`${switchboard.url}/api/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'text/csv' },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.write(`email\n${'person@example.com\n'.repeat(100_000)}`);
    const { id } = await waitFor(async () => (await listed())[0]);
    const { error } = await acme.call('cancel_import', { import_id: id });
    expect(error).toBeUndefined();
    sent.end();
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).toBe(409);
    expect(await listed()).toMatchObject([{ id, status: 'canceled' }]);
  });

  itSlow('is refused while 20 other uploads of the organization wait for their start', async () => {
    for (let count = 0; count < 20; count += 1) await upload(acme, 'email\na@example.com\n');
    const response = await tryUpload(acme, 'email\na@example.com\n');
    expect(response.status).toBe(409);
  });
});

describe('rows with bad input', () => {
  it('are rejected one by one: NUL, bidi controls in addresses, 4,000 cells, long text', async () => {
    const long = 'x'.repeat(2000);
    const file = [
      'email,first_name',
      'nul@example.com,a\u0000b',
      '\u202eevil@example.com,b',
      `many@example.com,b${',c'.repeat(3998)}`,
      `long@example.com,${long}`,
      'good@example.com,Ada',
    ].join('\n');
    const { id } = await upload(acme, file);
    const done = await startAndWait(acme, id);
    expect(done.counts).toMatchObject({ created: 1, failed: 4 });
    const response = await acme.fetch(`/api/imports/${id}/rejected.csv`);
    const text = await response.text();
    expect(text).toContain('first_name must not contain');
    expect(text).toContain('email must be one e-mail address');
    expect(text).toContain('The row has 4000 cells');
    expect(text).toContain('first_name must be at most 255 characters');
  });
});
