import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTree } from '../support/process.js';

/** The limit for the whole list of tools, which takes space in the context of every model that uses the tools. */
const MOST_TOKENS = 6000;
const ROOT = resolve(import.meta.dirname, '../..');

describe('npm run tools', () => {
  const run = async (...given: string[]): Promise<string[]> => {
    // The environment is empty, because the command must need neither settings nor a database.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['scripts/tools.mjs', ...given],
      { cwd: ROOT, env: { PATH: process.env.PATH } },
    );
    return stdout.trim().split('\n');
  };
  beforeAll(() => buildTree());

  it('prints every tool with its surfaces, without a database', async () => {
    const lines = await run();
    expect(lines).toContainEqual(expect.stringMatching(/^send_message +agent, .* Send a message$/));
    expect(lines).toContainEqual(expect.stringMatching(/^set_tool_policy +dashboard +Set /));
  });

  it('prints the number of tokens of each tool with --tokens', async () => {
    const lines = await run('--tokens');
    expect(lines[0]).toMatch(/^tokens .*plain JSON-RPC .*MCP 2026-07-28$/);
    expect(lines).toContainEqual(expect.stringMatching(/^send_message +\d+ +\d+ +\d+$/));
    expect(lines.join('\n')).not.toContain('set_tool_policy');
    const [name, ...totals] = lines.at(-1)!.split(/ {2,}/);
    expect(name).toBe('whole list');
    expect(totals).toHaveLength(3);
    for (const total of totals.map(Number)) {
      expect(total).toBeGreaterThan(1000);
      expect(total).toBeLessThan(MOST_TOKENS);
    }
  });

  it('rejects unknown arguments', async () => {
    await expect(run('--token')).rejects.toThrow('Unknown argument --token');
  });
});
