import { gunzipSync, gzipSync } from 'node:zlib';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ArchiveEntry, MOST_FRAME_BYTES } from './archive-entry.js';
import { readArchive, writeArchive } from './archive-file.js';
import { decodeArchive } from './decode-archive.js';
import { encodeArchive } from './encode-archive.js';

const HEADER: ArchiveEntry = {
  kind: 'header',
  product: '1.2.3',
  takenAt: '2026-11-23T00:00:00.000Z',
  migrations: ['One1'],
  moduleMigrations: [],
  secretKeys: ['0a0b0c0d'],
};
const ENTRIES: readonly ArchiveEntry[] = [
  HEADER,
  { kind: 'table', table: 'public.one', columns: ['id', 'name'] },
  { kind: 'rows', bytes: Buffer.from('1\tAda\n2\tGrace\n') },
  { kind: 'table_end', rows: 2 },
  { kind: 'table', table: 'public.two', columns: ['id'] },
  { kind: 'table_end', rows: 0 },
  { kind: 'end', tables: 2, sequences: [{ name: 'public.one_id_seq', last: '2' }] },
];

async function* all<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  yield* items;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function encode(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  return Buffer.concat(await collect(encodeArchive(all(entries))));
}

/** Decodes the bytes in pieces of `size`. */
async function decode(bytes: Buffer, size = bytes.length): Promise<ArchiveEntry[]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return await collect(decodeArchive(all(pieces)));
}

describe('an archive', () => {
  it('has the parts that were written, in whatever pieces its bytes arrive', async () => {
    const bytes = await encode(ENTRIES);
    expect(await decode(bytes)).toEqual(ENTRIES);
    expect(await decode(bytes, 1)).toEqual(ENTRIES);
  });

  it('splits rows that are too long for one part', async () => {
    const long = Buffer.alloc(2 * MOST_FRAME_BYTES + 1, 'x');
    const entries = ENTRIES.map((entry) =>
      entry.kind === 'rows' ? { ...entry, bytes: long } : entry,
    );
    const rows = (await decode(await encode(entries))).flatMap((entry) =>
      entry.kind === 'rows' ? [entry.bytes] : [],
    );
    expect(rows.map(({ length }) => length)).toEqual([MOST_FRAME_BYTES, MOST_FRAME_BYTES, 1]);
    expect(Buffer.concat(rows).equals(long)).toBe(true);
  });

  it('is refused when it was truncated at any place', async () => {
    const bytes = await encode(ENTRIES);
    for (let length = 0; length < bytes.length; length += 1) {
      await expect(decode(bytes.subarray(0, length)), `${length} bytes`).rejects.toThrow(
        'The archive is damaged',
      );
    }
  });

  it('is refused when any one bit was changed', async () => {
    const bytes = await encode(ENTRIES);
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1 << (index % 8);
      await expect(decode(changed), `byte ${index}`).rejects.toThrow(
        /The archive is damaged|not a backup of Switchboard|newer format/,
      );
    }
  });

  it('is refused when something follows its end', async () => {
    const bytes = Buffer.concat([await encode(ENTRIES), Buffer.from('x')]);
    await expect(decode(bytes)).rejects.toThrow('something follows its end');
  });

  it('is refused when its parts are in a wrong order or a table is missing', async () => {
    const [header, table, rows, tableEnd, , , end] = ENTRIES as [ArchiveEntry, ...ArchiveEntry[]];
    const wrong: ArchiveEntry[][] = [
      [table!, tableEnd!, end!],
      [header, rows!, end!],
      [header, table!, end!],
      [header, table!, tableEnd!],
      [header, table!, tableEnd!, end!],
      [header, end!, end!],
    ];
    for (const entries of wrong) {
      await expect(decode(await encode(entries))).rejects.toThrow('The archive is damaged');
    }
  });

  it('is refused when it has a newer format, or when the file is not an archive', async () => {
    const bytes = await encode(ENTRIES);
    const newer = Buffer.from(bytes.toString('latin1').replace('backup 1', 'backup 2'), 'latin1');
    await expect(decode(newer)).rejects.toThrow('newer format');
    await expect(decode(Buffer.from('id,name\n1,Ada\n2,Grace\n'))).rejects.toThrow(
      'The file is not a backup of Switchboard.',
    );
  });
});

describe('the file of an archive', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
    path = join(folder, 'a.backup');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('has everything, can be read only by its owner, and replaces no other file', async () => {
    const size = await writeArchive(path, all(ENTRIES));
    expect(await collect(readArchive(path))).toEqual(ENTRIES);
    const { mode, size: actual } = await stat(path);
    expect(size).toBe(actual);
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
    const before = await readFile(path);
    await expect(writeArchive(path, all(ENTRIES))).rejects.toThrow('exists already');
    expect((await readFile(path)).equals(before)).toBe(true);
    expect(await readdir(folder)).toEqual(['a.backup']);
  });

  it('does not appear when the backup fails', async () => {
    async function* failing(): AsyncGenerator<ArchiveEntry, void> {
      yield HEADER;
      throw new Error('The connection broke.');
    }
    await expect(writeArchive(path, failing())).rejects.toThrow('The connection broke.');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused when it is missing, truncated, changed or not compressed', async () => {
    const read = async (bytes: Buffer): Promise<unknown> => {
      await writeFile(path, bytes);
      return await collect(readArchive(path));
    };
    await expect(collect(readArchive(path))).rejects.toThrow('The file does not exist.');
    const whole = gzipSync(await encode(ENTRIES));
    expect(await read(whole)).toEqual(ENTRIES);
    await expect(read(whole.subarray(0, -9))).rejects.toThrow('it ends too early');
    await expect(read(whole.subarray(0, 40))).rejects.toThrow('it ends too early');
    const changed = Buffer.from(whole);
    changed[Math.floor(whole.length / 2)]! ^= 1;
    await expect(read(changed)).rejects.toThrow('The archive is damaged');
    await expect(read(gunzipSync(whole))).rejects.toThrow('it cannot be decompressed');
  });
});
