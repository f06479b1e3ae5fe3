import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { IS_THOROUGH } from '../../test/support/thorough.js';
import { CsvScanner, firstRow, isPart } from './csv-scanner.js';
import { decode, loadRowReader } from './read-rows.js';

const read = await loadRowReader();

/** Cuts a file that arrives in pieces of the given sizes, and reads its parts one by one. */
function rowsByPart(file: string, sizes: readonly number[], delimiter: string) {
  const scanner = new CsvScanner(delimiter);
  const bytes = Buffer.from(file);
  const parts = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    parts.push(...scanner.push(bytes.subarray(at, at + size)));
    at += size;
  }
  parts.push(...scanner.end());
  return { scanner, parts };
}

describe('CsvScanner', () => {
  it('cuts any file so that its parts have the rows of the file, in whatever pieces the file arrives', () => {
    const piece = fc.constantFrom(
      'a',
      'é',
      '"',
      '""',
      ',',
      ';',
      '\n',
      '\r\n',
      '\r',
      ' ',
      'x"y',
      '"q\n,"',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(',', ';'),
        (pieces, sizes, delimiter) => {
          const file = pieces.join('');
          let whole: string[][];
          try {
            whole = read(file, delimiter);
          } catch {
            expect(() => rowsByPart(file, sizes, delimiter)).toThrow('without an end');
            return;
          }
          const { scanner, parts } = rowsByPart(file, sizes, delimiter);
          expect(parts.flatMap(({ bytes }) => read(bytes.toString(), delimiter))).toEqual(whole);
          expect(scanner.rows).toBe(whole.length);
          expect(parts.filter((part) => !isPart(part, delimiter))).toEqual([]);
        },
      ),
      { numRuns: IS_THOROUGH ? 3000 : 300 },
    );
  });

  it('keeps parts small in a file with many empty lines', () => {
    const { scanner, parts } = rowsByPart(`a\nb\n${'\n'.repeat(1_000_000)}c\n`, [64 * 1024], ',');
    expect(scanner.rows).toBe(3);
    for (const { bytes } of parts) expect(bytes.length).toBeLessThan(200_000);
    expect(parts.every((part) => isPart(part, ','))).toBe(true);
  });

  it('numbers the first row of each part', () => {
    const file = Array.from({ length: 1201 }, (_, index) => `${index + 1}`).join('\r\n');
    const { parts } = rowsByPart(file, [7], ',');
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every((part) => isPart(part, ','))).toBe(true);
    for (const { bytes, firstRow } of parts) {
      expect(read(bytes.toString(), ',')[0]).toEqual([String(firstRow)]);
    }
  });
});

describe(isPart, () => {
  const check = (text: string, row = 1): boolean =>
    isPart({ bytes: Buffer.from(text), firstRow: row }, ',');

  it('is true for the largest parts of a file', () => {
    const long = `"${'a\n'.repeat(100_000)}"\n`;
    const { parts } = rowsByPart(`a\n${'b\n'.repeat(900)}${long.repeat(3)}`, [1000], ',');
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.filter((part) => !isPart(part, ','))).toEqual([]);
    expect(check(`${','.repeat(4999)}\n`, 2)).toBe(true);
  });

  it('is false for bytes that are no part, or more than one part', () => {
    expect(check('')).toBe(false);
    expect(check('\n')).toBe(false);
    expect(check('\na\n')).toBe(false);
    expect(check('a\n'.repeat(501))).toBe(false);
    expect(check('"a')).toBe(false);
    expect(check(`${','.repeat(500)}\n`)).toBe(false);
    expect(check(`${','.repeat(5000)}\n`, 2)).toBe(false);
    expect(check(`a\n${'\n'.repeat(70_000)}`)).toBe(false);
  });
});

describe(firstRow, () => {
  it.each([
    ['a,b\nc\n', 'a,b\n'],
    ['\n\r\na,b\r\nc', 'a,b\r'],
    ['"a\n1",b\rc', '"a\n1",b\r'],
    ['a,b', 'a,b'],
    [`${'\n'.repeat(500_000)}a`, 'a'],
    ['\n\n', undefined],
    ['', undefined],
  ])('returns only the bytes of the first row of %j', (file, row) => {
    expect(firstRow(Buffer.from(file), ',')?.toString()).toBe(row);
  });

  it('refuses exactly the first rows that the parser would split into more than 500 cells', () => {
    const piece = fc.constantFrom('a', '"', '""', ',', ' ', 'x"y', '"q\n,"');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const file = `${','.repeat(496)}${pieces.join('')}`;
        const [cells] = read(file, ',', 1);
        fc.pre(cells !== undefined);
        const get = (): unknown => firstRow(Buffer.from(file), ',');
        if (cells.length > 500) expect(get).toThrow('more than 500 cells');
        else expect(get).not.toThrow();
      }),
      { numRuns: IS_THOROUGH ? 3000 : 300 },
    );
  });

  it('looks at no bytes far after the first row', () => {
    const file = Buffer.from(`a\n${'b\n'.repeat(250_000)}`);
    const push = vi.spyOn(CsvScanner.prototype, 'push');
    firstRow(file, ',');
    expect(push.mock.calls.flat().reduce((bytes, given) => bytes + given.length, 0)).toBeLessThan(
      50_000,
    );
    push.mockRestore();
  });

  it('refuses a first row that is too long, has more than 500 cells, or has a quoted field without an end', () => {
    expect(() => firstRow(Buffer.alloc(300_000, 'x'), ',')).toThrow('is longer than');
    expect(firstRow(Buffer.alloc(499, ','), ',')).toHaveLength(499);
    expect(() => firstRow(Buffer.alloc(500, ','), ',')).toThrow('more than 500 cells');
    expect(() => firstRow(Buffer.from('"a'), ',')).toThrow('without an end');
  });
});

describe('decode', () => {
  it('reads every byte of windows-1252 as one character', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const text = decode(all, 'windows-1252');
    expect([...text]).toHaveLength(256);
    expect(text[0x80]).toBe('€');
    expect(text[0x9f]).toBe('Ÿ');
    expect(text[0xe9]).toBe('é');
  });

  it('refuses a row with far more cells than a file can have columns', () => {
    const rows = (cells: number): Buffer => Buffer.from(`a,b\n${','.repeat(cells - 1)}\n`);
    expect(new CsvScanner(',').push(rows(5000))).toEqual([]);
    expect(() => new CsvScanner(',').push(rows(5001))).toThrow('Row 2 of the file has more than');
  });
});
