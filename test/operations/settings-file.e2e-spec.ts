import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildTree, startProcess } from '../support/process.js';

describe('the file .env', () => {
  let folder: string;

  beforeAll(() => buildTree());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'settings-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Returns the output of a start in the folder. Each start has a wrong setting, so that it ends immediately. */
  const start = async (env: Record<string, string>): Promise<string> => {
    const started = startProcess(env, folder);
    expect(await started.exited).toBe(1);
    return started.output();
  };

  it('gives settings, and variables of the environment have precedence', async () => {
    await writeFile(join(folder, '.env'), 'ROLE=boss\nLOG_LEVEL=loud # as a joke\n');
    expect(await start({})).toMatch(/ROLE[^]*LOG_LEVEL|LOG_LEVEL[^]*ROLE/);
    const output = await start({ LOG_LEVEL: 'info' });
    expect(output).toContain('ROLE');
    expect(output).not.toContain('LOG_LEVEL');
  });

  it('gets a warning for each misspelled setting, without its value', async () => {
    await writeFile(join(folder, '.env'), 'ROLE=boss\nDATABASE_URI=postgres://u:hush@db/x\n');
    const output = await start({ SWITCHBOARD_PORT: '1' });
    expect(output).toContain(
      'DATABASE_URI is not a setting of Switchboard. Did you mean DATABASE_URL?',
    );
    expect(output).toContain(
      'SWITCHBOARD_PORT is not a setting of Switchboard. Did you mean PORT?',
    );
    expect(output).not.toContain('hush');
  });

  it('stops the start with one sentence when the file cannot be read', async () => {
    await mkdir(join(folder, '.env'));
    const output = await start({});
    expect(output).toContain(`${join(folder, '.env')} cannot be read (EISDIR).`);
    expect(output).not.toContain(' at ');
  });
});
