import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENV_NAMES } from '../../src/config/env-names.js';
import { HTTP_STATUS } from '../../src/errors/app-error.js';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe('the documentation', () => {
  it('describes every setting in docs/configuration.md and .env.example', () => {
    const texts = [read('docs/configuration.md'), read('.env.example')];
    for (const name of Object.values(ENV_NAMES)) {
      for (const text of texts) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  it('describes every error code in docs/errors.md', () => {
    const text = read('docs/errors.md');
    const missing = Object.keys(HTTP_STATUS).filter((code) => !text.includes(`\`${code}\``));
    expect(missing).toEqual([]);
  });

  it('lists every page in docs/README.md', () => {
    const index = read('docs/README.md');
    const missing = readdirSync(DOCS)
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .filter((name) => !index.includes(`](${name})`));
    expect(missing).toEqual([]);
  });

  it('names a mechanism for each guarantee of docs/security.md, and test files that exist', () => {
    const [, table] = /## Guarantees\n([\s\S]*?)\n## /.exec(read('docs/security.md'))!;
    const rows = table!.split('\n').filter((line) => line.startsWith('| **'));
    const guarantees = rows.flatMap((row) => /\*\*(G\d+)\./.exec(row)?.[1] ?? []);
    expect(guarantees).toEqual(['G8', 'G9', 'G10', 'G11', 'G12', 'G13', 'G14', 'G15']);
    for (const row of rows) {
      const [, promise, mechanism, shownBy] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
      expect(promise).not.toBe('');
      expect(mechanism).not.toBe('');
      const files = [...shownBy!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        expect(file).toMatch(/^(?:test|src)\/.*spec\.ts$/);
        expect(existsSync(join(ROOT, file)) ? 'exists' : `${file} does not exist`).toBe('exists');
      }
    }
  });

  it('keeps the README within 250 lines', () => {
    expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(250);
  });

  it.each(pages)('links to files that exist: %s', (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target));
    const missing = targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it.each(pages)('names files of the repository that exist: %s', (page) => {
    const missing = [
      ...read(page).matchAll(
        /`((?:src|test|docs|docker|scripts|bench|migrations|examples)\/[\w./-]+)`/g,
      ),
    ]
      .map(([, file]) => file!)
      .filter(
        (file) => !existsSync(join(ROOT, file)) && !existsSync(join(ROOT, `${file}.e2e-spec.ts`)),
      );
    expect(missing).toEqual([]);
  });
});
