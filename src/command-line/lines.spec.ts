import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './lines.js';

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  yield bytes.subarray(from);
}

async function linesOf(bytes: Buffer, sizes: readonly number[], maxBytes: number) {
  const lines = [];
  for await (const { number, bytes: line, end } of readLines(chunksOf(bytes, sizes), maxBytes)) {
    lines.push({ number, text: line?.toString('latin1'), end });
  }
  return lines;
}

describe(readLines.name, () => {
  it('finds the same lines wherever the file is split into chunks', async () => {
    const character = fc.constantFrom('a', '\n', '\r', ' ', '\u00ff');
    const property = fc.asyncProperty(
      fc.array(character).map((characters) => Buffer.from(characters.join(''), 'latin1')),
      fc.array(fc.nat(5)),
      fc.nat(6),
      async (bytes, sizes, maxBytes) => {
        const texts = bytes.toString('latin1').split('\n');
        if (texts.at(-1) === '') texts.pop();
        let end = 0;
        const expected = texts.map((text, index) => {
          end = Math.min(bytes.length, end + text.length + 1);
          const shown = text.length > maxBytes ? undefined : text.replace(/\r$/, '');
          return { number: index + 1, text: shown, end };
        });
        expect(await linesOf(bytes, sizes, maxBytes)).toEqual(expected);
      },
    );
    await fc.assert(property);
  });

  it('skips a byte order mark that arrives in parts', async () => {
    const bytes = Buffer.from('\ufeffa\n\ufeffb');
    const lines = await linesOf(bytes, [1, 1], 100);
    expect(lines.map(({ text }) => text)).toEqual(['a', '\u00ef\u00bb\u00bfb']);
  });

  it.each(['utf16le', 'utf16be'])('refuses %s', async (encoding) => {
    const bytes = Buffer.from('\ufeff{}\n', 'utf16le');
    if (encoding === 'utf16be') bytes.swap16();
    await expect(linesOf(bytes, [], 100)).rejects.toThrow('UTF-16');
  });
});
