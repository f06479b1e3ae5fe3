import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/operations.md');

// test/operations/backup-command compares the output on the page with the real output.
describe('docs/operations.md', () => {
  it('has an exact copy of the program that restores tables of modules', () => {
    const [, path, code] = /^\[.*\]\(\.\.\/(.*)\)\n\n```ts\n([^]*?)^```$/m.exec(page)!;
    expect(read(path!)).toBe(code);
  });

  it('names commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...page.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name!);
    expect(new Set(commands)).toEqual(
      new Set(['backup', 'restore', 'secrets:rotate', 'audit:verify']),
    );
    for (const command of commands) expect(scripts).toHaveProperty([command]);
  });
});
