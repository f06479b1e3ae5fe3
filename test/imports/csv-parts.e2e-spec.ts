import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ContactExportService } from '../../src/imports/contact-export.service.js';
import { ImportsService } from '../../src/imports/imports.service.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { uploadedImport } from '../support/uploaded-import.js';

const KIB = 1024;
const ORIGIN = { requestId: 'req_1', address: undefined, client: undefined };

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const asOwner = (sql: string, ...values: unknown[]) => switchboard.ownerQuery(sql, values);
/** Stores rejected rows with the numbers 2, 3, … */
const reject = (importId: string, rows: number, cells: string) =>
  asOwner(
    `insert into import_faults (organization_id, import_id, generation, row, cells, reasons)
     select $1, $2, 0, number, ${cells}, 'wrong' from generate_series(2, $3 + 1) number`,
    acme.id,
    importId,
    rows,
  );

describe('the rejected rows of an import', () => {
  let importId: string;
  beforeEach(async () => {
    importId = await uploadedImport(acme);
  });

  const read = async (): Promise<Parts> => {
    const turns: number[] = [];
    const service = switchboard.app.get(ImportsService, { strict: false });
    const caller = { organizationId: acme.id, actor: { kind: 'user', id: acme.userId } as const };
    const { lines } = await service.rejectedRows(caller, ORIGIN, importId, (bytes) => {
      turns.push(bytes);
      return undefined;
    });
    return await partsOf(lines, turns);
  };

  it('are converted in parts of at most 256 KiB, or of one row, each in its own turn', async () => {
    await reject(importId, 30, `json_build_array(repeat('x', 100000))::text`);
    const { sizes, turns, text } = await read();
    expect(Math.max(...sizes)).toBeLessThan(256 * KIB);
    expect(turns).toHaveLength(sizes.length - 1);
    expect(rowNumbersOf(text)).toEqual(Array.from({ length: 30 }, (_, index) => index + 2));
  });

  it('are all sent when one row alone is larger than a part', async () => {
    await reject(importId, 3, `json_build_array(repeat('"', 700000))::text`);
    const { sizes, turns, text } = await read();
    expect(sizes).toHaveLength(4);
    expect(turns.every((bytes) => bytes > 1_400_000)).toBe(true);
    expect(rowNumbersOf(text)).toEqual([2, 3, 4]);
  });

  it('are not stored when they are larger than a row of a file can cause', async () => {
    const hostile = reject(importId, 1, `json_build_array(repeat('"', 1100000))::text`);
    await expect(hostile).rejects.toThrow('import_faults_texts_check');
    await reject(importId, 1, `json_build_array(repeat(U&'\\0001', 262144))::text`);
  });

  it.each([
    ['more than 500 names', `(select json_agg(number) from generate_series(1, 501) number)`],
    ['names of more than 256 KiB', `json_build_array(repeat('x', 262144))`],
    ['no list', `'{"a":1}'::json`],
  ])('belong to a file whose columns cannot be %s', async (_case, columns) => {
    const changed = asOwner(
      `update imports set columns = ${columns} where organization_id = $1`,
      acme.id,
    );
    await expect(changed).rejects.toThrow('imports_columns_check');
  });
});

describe('the export of contacts', () => {
  const read = async (): Promise<Parts> => {
    const turns: number[] = [];
    const service = switchboard.app.get(ContactExportService, { strict: false });
    const lines = service.lines(acme.id, (bytes) => {
      turns.push(bytes);
      return undefined;
    });
    return await partsOf(lines, turns);
  };
  const createContacts = async (count: number, change: string): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const given = { email: `a${index}@example.com` };
      expect((await acme.call('create_contact', given)).status).toBe(200);
    }
    await asOwner(`update contacts set ${change} where organization_id = $1`, acme.id);
  };

  it('is converted in parts of at most 256 KiB, each in its own turn', async () => {
    const note = `jsonb_build_object('note', repeat('x', 60000))`;
    await createContacts(12, `properties = ${note}, first_name = repeat('y', 40000)`);
    const { sizes, turns, text } = await read();
    expect(Math.max(...sizes)).toBeLessThan(256 * KIB);
    expect(turns).toHaveLength(sizes.length - 1);
    expect(text.trimEnd().split('\r\n')).toHaveLength(13);
  });

  it('replaces tags and properties that have more than 1 MiB in one contact', async () => {
    await createContacts(2, `properties = '{"note":"short"}'`);
    await asOwner(
      `update contacts set properties = jsonb_build_object('note', repeat('"', 2000000))
       where organization_id = $1 and email = 'a0@example.com'`,
      acme.id,
    );
    const { sizes, text } = await read();
    expect(Math.max(...sizes)).toBeLessThan(256 * KIB);
    expect(text).toMatch(/,a0@example\.com,.*,\[more than 1 MiB\],.*,\[more than 1 MiB\]\r\n/);
    expect(text).toMatch(/,a1@example\.com,.*,short\r\n/);
  });

  it('has no columns for properties with longer names than the service stores', async () => {
    await createContacts(
      1,
      `properties = jsonb_build_object('note', 'short', repeat('"', 100000), 'x')`,
    );
    const { sizes, text } = await read();
    expect(sizes[0]).toBeLessThan(KIB);
    expect(text).toMatch(/,properties\.note\r\n/);
  });
});

interface Parts {
  /** The bytes of each part. */
  readonly sizes: number[];
  /** The bytes for which a turn was taken before each part, except before the names of the columns. */
  readonly turns: number[];
  readonly text: string;
}

async function partsOf(lines: AsyncIterable<string>, turns: number[]): Promise<Parts> {
  const parts: string[] = [];
  for await (const part of lines) parts.push(part);
  return { sizes: parts.map((part) => Buffer.byteLength(part)), turns, text: parts.join('') };
}

function rowNumbersOf(text: string): number[] {
  return [...text.matchAll(/,(\d+),wrong\r\n/g)].map(([, number]) => Number(number));
}
