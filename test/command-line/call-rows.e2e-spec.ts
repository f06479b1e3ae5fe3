import { stat } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tracesOf } from '../mcp/support/traces.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { type CommandResult, runCommand } from './support/command.js';
import { RowsFolder } from './support/rows-file.js';

interface RejectedRow {
  row: number;
  error: { code: string | number; message: string; details?: object[] };
  arguments?: object;
  text?: string;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let folder: RowsFolder;
beforeAll(async () => {
  buildTree();
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  folder = await RowsFolder.create();
});
afterEach(() => folder.remove());

const call = (...given: string[]): Promise<CommandResult> =>
  runCommand(['call', ...given], { url: switchboard.url, key: acme.key });
const rejected = (name = 'rows'): Promise<RejectedRow[] | undefined> =>
  folder.read<RejectedRow>(`${name}.rejected.jsonl`);
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `person${index + 1}@example.com` }));
const countContacts = async (): Promise<number> => {
  const [found] = await switchboard.ownerQuery<{ count: number }>(
    'select count(*)::int as count from contacts where organization_id = $1',
    [acme.id],
  );
  return found!.count;
};

describe('switchboard call TOOL --file', () => {
  it('calls the tool once for each row, and exits with 0 when all are done', async () => {
    const file = await folder.write('rows.jsonl', people(45));
    const { code, stdout } = await call('create_contact', '--file', file);
    expect(stdout).toMatch(/^45 rows: 45 done, 0 rejected, in \d+\.\d s\.\n$/);
    expect(code).toBe(0);
    expect(await countContacts()).toBe(45);
    expect(await rejected()).toBeUndefined();
  });

  it('continues after rows that a tool rejects, writes them with their errors, and exits with 1', async () => {
    const rows = people(30);
    rows[4] = { email: 'no address' };
    rows[24] = { ...rows[0]! };
    const file = await folder.write('rows.jsonl', rows);
    const { code, stdout } = await call('create_contact', '--file', file, '--parallel', '1');
    expect(stdout).toContain('30 rows: 28 done, 2 rejected');
    expect(stdout).toContain('rows.rejected.jsonl');
    expect(code).toBe(1);
    expect(await rejected()).toEqual([
      {
        row: 5,
        error: expect.objectContaining({ code: 'invalid_arguments' }) as object,
        arguments: { email: 'no address' },
      },
      {
        row: 25,
        error: expect.objectContaining({ code: 'conflict' }) as object,
        arguments: rows[0],
      },
    ]);
    expect(await countContacts()).toBe(28);
  });

  it('sends rejected rows again after they were corrected', async () => {
    const file = await folder.write('rows.jsonl', [{ email: 'a@example.com' }, { email: 'b' }]);
    expect((await call('create_contact', '--file', file)).code).toBe(1);
    const mended = (await rejected())!.map((row) => ({
      ...row,
      arguments: { email: 'b@example.com' },
    }));
    const again = await folder.write('rows.rejected.jsonl', mended);
    const { code, stdout } = await call('create_contact', '--rejected', again);
    expect(stdout).toContain('1 row: 1 done');
    expect(code).toBe(0);
    expect(await countContacts()).toBe(2);
  });

  it('accepts a byte order mark, CRLF, empty lines and a last line without a line break', async () => {
    const text = '\ufeff{"text":"a"}\r\n\r\n{"text":"b"}\r\n  \n{"text":5}';
    const file = await folder.write('rows.jsonl', text);
    const { code } = await call('note', '--file', file);
    expect(code).toBe(1);
    expect(await tracesOf(switchboard, acme)).toEqual(['a', 'b']);
    expect(await rejected()).toMatchObject([{ row: 5, arguments: { text: 5 } }]);
  });

  it('rejects lines that are not a JSON object in UTF-8 of at most 1 MiB, and makes the calls of the other lines', async () => {
    const lines = [
      Buffer.from('{"text":"first"}'),
      Buffer.from('{"text":'),
      Buffer.from('["text"]'),
      Buffer.from('7'),
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.from(`{"text":"${'x'.repeat(1024 * 1024)}"}`),
      // With the rest of the request, the row is larger than the limit of a body.
      Buffer.from(`{"text":"${'x'.repeat(1024 * 1024 - 20)}"}`),
      Buffer.from('{"text":"last"}'),
    ];
    const content = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const file = await folder.write('rows.jsonl', content);
    expect((await call('note', '--file', file)).code).toBe(1);
    const found = (await rejected())!.map(({ row, error, text }) => [row, error.code, text]);
    expect(found).toEqual([
      [2, 'invalid_json', '{"text":'],
      [3, 'not_an_object', '["text"]'],
      [4, 'not_an_object', '7'],
      [5, 'invalid_json', '{ÿ}'],
      [6, 'payload_too_large', undefined],
      [7, 'payload_too_large', undefined],
    ]);
    // The batches are sent at the same time.
    expect((await tracesOf(switchboard, acme)).toSorted()).toEqual(['first', 'last']);
  });

  it('splits a batch that has more values than a request may have', async () => {
    const properties = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`p${n}`, n]));
    const wide = { email: 'wide@example.com', tags: Array.from({ length: 9000 }, () => 'x') };
    const rows = [...people(10).map((row) => ({ ...row, properties })), wide, { ...wide }];
    const file = await folder.write('rows.jsonl', rows);
    expect((await call('create_contact', '--file', file)).code).toBe(1);
    // The tool refuses the last two rows, because they have too many tags. The request itself is accepted.
    const codes = (await rejected())!.map(({ row, error }) => [row, error.code]);
    expect(codes).toEqual([
      [11, 'invalid_arguments'],
      [12, 'invalid_arguments'],
    ]);
    expect(await countContacts()).toBe(10);
  });

  it('rejects a single row that the service cannot read', async () => {
    const deep = '{"email":'.repeat(70) + '1' + '}'.repeat(70);
    const file = await folder.write('rows.jsonl', `{"email":"a@example.com"}\n${deep}\n`);
    expect((await call('create_contact', '--file', file)).code).toBe(1);
    expect(await rejected()).toMatchObject([{ row: 2, error: { code: -32600 } }]);
    expect(await countContacts()).toBe(1);
  });

  it('skips the rows before --from, and appends to the file of rejected rows', async () => {
    const rows = [{ text: 1 }, { text: 'b' }, { text: 'c' }, { text: 4 }];
    const file = await folder.write('rows.jsonl', rows);
    await folder.write('rows.rejected.jsonl', [{ row: 1 }]);
    expect((await call('note', '--file', file, '--from', '3')).stdout).toContain('2 rows: 1 done');
    expect(await tracesOf(switchboard, acme)).toEqual(['c']);
    expect((await rejected())!.map(({ row }) => row)).toEqual([1, 4]);
  });

  it('makes no second call with the same idempotency key, and rejects a row whose arguments differ from the first call', async () => {
    const file = await folder.write('rows.jsonl', [{ text: 'a' }, { text: 'b' }]);
    const once = ['note', '--file', file, '--idempotency-key', 'notes'];
    expect((await call(...once)).code).toBe(0);
    await folder.write('rows.jsonl', [{ text: 'a' }, { text: 'other' }, { text: 'c' }]);
    expect((await call(...once)).stdout).toContain('3 rows: 2 done, 1 rejected');
    expect(await tracesOf(switchboard, acme)).toEqual(['a', 'b', 'c']);
    expect(await rejected()).toMatchObject([{ row: 2, error: { code: 'idempotency_mismatch' } }]);
  });

  it('makes new calls when it is repeated without an idempotency key', async () => {
    const file = await folder.write('rows.jsonl', [{ text: 'a' }]);
    await call('note', '--file', file);
    await call('note', '--file', file);
    expect(await tracesOf(switchboard, acme)).toEqual(['a', 'a']);
  });

  it('stores nothing with --dry-run', async () => {
    const file = await folder.write('rows.jsonl', [{ email: 'a@example.com' }, { email: 'b' }]);
    const { stdout } = await call('create_contact', '--file', file, '--dry-run');
    expect(stdout).toContain('2 rows: 1 done, 1 rejected');
    expect(await countContacts()).toBe(0);
  });

  it('reads rows from standard input with --file -', async () => {
    const { code } = await runCommand(['call', 'note', '--file', '-'], {
      url: switchboard.url,
      key: acme.key,
      folder: folder.path,
      input: '{"text":"piped"}\n{"text":2}\n',
    });
    expect(code).toBe(1);
    expect(await tracesOf(switchboard, acme)).toEqual(['piped']);
    expect(await rejected('stdin')).toMatchObject([{ row: 2 }]);
  });

  it('lets only its owner read the rejected rows', async () => {
    const file = await folder.write('rows.jsonl', [{ email: 'b' }]);
    await call('create_contact', '--file', file);
    expect((await stat(file.replace('.jsonl', '.rejected.jsonl'))).mode & 0o777).toBe(0o600);
  });
});

describe('switchboard call TOOL --file, before any call,', () => {
  it.each<[string, string | Buffer, RegExp]>([
    ['a JSON array', '[{"text":"a"}]\n', /is a JSON array.*jq/],
    ['UTF-16', Buffer.from('\ufeff{"text":"a"}', 'utf16le'), /UTF-16.*UTF-8/],
  ])('refuses a file with %s', async (_what, content, message) => {
    const file = await folder.write('rows.jsonl', content);
    const { code, stderr } = await call('note', '--file', file);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('refuses a file that does not exist, and a folder', async () => {
    const missing = await call('note', '--file', 'nothing.jsonl');
    expect(missing.stderr).toContain('The file nothing.jsonl does not exist.');
    expect(missing.code).toBe(2);
    expect((await call('note', '--file', folder.path)).stderr).toContain('is a folder.');
  });

  it('refuses an unknown tool, and names similar tools', async () => {
    const file = await folder.write('rows.jsonl', people(1));
    const { code, stderr } = await call('create_contacts', '--file', file);
    expect(stderr).toContain('Unknown tool: create_contacts. Did you mean create_contact,');
    expect(code).toBe(2);
    expect(await folder.read('rows.rejected.jsonl')).toBeUndefined();
  });

  it('refuses a tool that the key may not call, and says why', async () => {
    const created = await acme.fetch('/api/mcp/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ read_only: true }),
    });
    const { api_key: key } = (await created.json()) as { api_key: string };
    const file = await folder.write('rows.jsonl', people(1));
    const given = ['call', 'create_contact', '--file', file];
    const { code, stderr } = await runCommand(given, { url: switchboard.url, key });
    expect(stderr).toMatch(/read-only|only read/);
    expect(code).toBe(2);
  });
});
