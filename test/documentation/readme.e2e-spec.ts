import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Provider } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspector } from '../../web/features/developer/snippets.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow } from '../support/thorough.js';

const README = resolve(import.meta.dirname, '../../README.md');
const text = readFileSync(README, 'utf8');

interface Block {
  language: string;
  code: string;
}

const blocks: Block[] = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

describe('the tour of the README', () => {
  let switchboard: Switchboard;
  let folder: string;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    folder = mkdtempSync(join(tmpdir(), 'switchboard-readme-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await switchboard.close();
  });

  it('prints the output that the README shows, except for ids and times', async () => {
    const acme = await createOrganization(switchboard);
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);
    commands[0] = commands[0]!
      .replace(/^URL=.*$/m, `URL=${switchboard.url}`)
      .replace(/^KEY=.*$/m, `KEY=${acme.key}`);
    // All blocks run in one shell, as a reader would run them. The output of each goes to a separate file.
    const script = commands.map((code, index) => `{\n${code}\n} > ${index}.out`).join('\n');
    await runAsync(script, folder);
    const outputs = commands.map((_, index) => readFileSync(join(folder, `${index}.out`), 'utf8'));
    const shown = outputsInReadme();
    if (process.env.UPDATE_README) {
      updateReadme(outputs);
      return;
    }
    expect(shown.filter((entry) => entry !== undefined).length).toBeGreaterThan(6);
    for (const [index, expected] of shown.entries()) {
      if (expected === undefined) continue;
      expect(alike(outputs[index]!), commands[index]).toEqual(alike(expected));
    }
  });
});

describe('the Inspector of the README', () => {
  it('has the version that the tests use, in the README and in the snippet of the dashboard', () => {
    const suite = resolve(import.meta.dirname, '../conformance/suite/package.json');
    const { dependencies } = JSON.parse(readFileSync(suite, 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const name = '@modelcontextprotocol/inspector';
    const tested = `npx ${name}@${dependencies[name]} --cli `;
    expect(text).toContain(tested);
    expect(inspector({ origin: 'http://127.0.0.1:3000' })).toContain(tested);
  });
});

describeSlow('the tool of the README', () => {
  const folder = join(import.meta.dirname, 'generated');

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('works without changes', async () => {
    // The file is not written to src, because other tests build src at the same time.
    const code = blocks
      .find(({ language }) => language === 'ts')!
      .code.replace(`'switchboard'`, `'../../../src/bootstrap/platform.js'`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'dice.tools.ts'), code);
    const { DiceTools } = (await import(join(folder, 'dice.tools.ts'))) as { DiceTools: Provider };
    const switchboard = await startSwitchboard({ providers: [DiceTools] });
    try {
      const acme = await createOrganization(switchboard);
      const { value } = await acme.call<{ rolled: number }>('roll_dice', { sides: 2 });
      expect([1, 2]).toContain(value.rolled);
      expect((await acme.call('roll_dice', { sides: 1 })).error!.code).toBe('invalid_arguments');
    } finally {
      await switchboard.close();
    }
  });
});

/** Returns each sh block with the json block that follows it, if there is one. */
function outputsInReadme(): (string | undefined)[] {
  return blocks.flatMap(({ language }, index) => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    return [next?.language === 'json' ? next.code : undefined];
  });
}

function alike(output: string): unknown {
  const plain = output
    .replaceAll(/\b(con|msg|run|usr|org|key)_[0-9A-Za-z]{22}/g, '$1_ID')
    .replaceAll(/workflow\/[0-9A-Za-z]{32}/g, 'workflow/ID')
    .replaceAll(/(workflow_id\\?": ?\\?")[0-9A-Za-z]{32}/g, '$1ID')
    .replaceAll(/swb_[0-9A-Za-z.]+/g, 'KEY')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/<[^<>]*@[^<>]*>/g, '<MAIL>');
  return JSON.parse(plain);
}

// Runs the shell asynchronously, because the service runs in this process and must answer the shell.
async function runAsync(script: string, cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'tour.sh'), `set -e\n${script}\n`);
  await new Promise<void>((done, fail) => {
    execFile('bash', ['tour.sh'], { cwd }, (error, _stdout, stderr) =>
      error ? fail(new Error(`${error.message}\n${stderr}`)) : done(),
    );
  });
}

function updateReadme(outputs: string[]): void {
  let index = -1;
  const updated = text.replaceAll(
    /^```sh\n[^]*?^```$(\n\n```json\n[^]*?^```$)?/gm,
    (block, json: string | undefined) => {
      index += 1;
      if (!json) return block;
      const pretty = JSON.stringify(JSON.parse(outputs[index]!)).replaceAll(/swb_\w+/g, 'swb_...');
      return `${block.slice(0, -json.length)}\n\n\`\`\`json\n${pretty}\n\`\`\``;
    },
  );
  writeFileSync(README, updated);
  execFileSync('npm', ['run', 'format', '--', README]);
}
