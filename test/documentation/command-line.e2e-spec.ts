import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HELP } from '../../src/command-line/help.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const ROOT = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

describe('docs/command-line.md', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let folder: string;

  beforeAll(async () => {
    buildTree();
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
    folder = await mkdtemp(join(tmpdir(), 'switchboard-command-line-'));
    // The folder is like a checkout: npx finds the command in node_modules/.bin.
    await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
    const main = join(ROOT, 'dist/src/command-line/main.js');
    await chmod(main, 0o755);
    await symlink(main, join(folder, 'node_modules/.bin/switchboard'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await switchboard.close();
  });

  it('shows the real output of its commands', async () => {
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);
    commands[0] = commands[0]!
      .replace(/URL=.*$/m, `URL=${switchboard.url}`)
      .replace(/KEY=.*$/m, `KEY=${acme.key}`);
    const marked = commands.map((code, index) => `{\n${code}\n} > ${index}.out`).join('\n');
    await writeFile(join(folder, 'all.sh'), `set -e\n${marked}\n`);
    await promisify(execFile)('bash', ['all.sh'], { cwd: folder });
    const compared = blocks.flatMap(({ language }, index) => {
      const next = blocks[index + 1];
      return language === 'sh' ? [next && next.language !== 'sh' ? next : undefined] : [];
    });
    expect(compared.filter(Boolean).length).toBeGreaterThan(3);
    for (const [index, shown] of compared.entries()) {
      if (!shown) continue;
      const printed = readFileSync(join(folder, `${index}.out`), 'utf8');
      if (shown.language === 'json') expect(JSON.parse(printed)).toEqual(JSON.parse(shown.code));
      else expect(alike(printed)).toBe(alike(shown.code));
    }
  });

  it('names the same options as the help', () => {
    const options = (page: string) => [...new Set(page.match(/--[a-z][a-z-]+/g))].sort();
    const others = ['--version', '--no', '--global'];
    expect(options(text).filter((option) => !others.includes(option))).toEqual(
      options(HELP).filter((option) => !others.includes(option)),
    );
  });
});

function alike(output: string): string {
  return output
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/swb_\w+…\w+/g, 'KEY')
    .replaceAll(/in \d+\.\d s/g, 'in TIME')
    .trimEnd();
}
