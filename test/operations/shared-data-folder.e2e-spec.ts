import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../support/global-setup.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';

it('a process ends with an explanation when another start takes over the database of the same data folder', async () => {
  buildTree();
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'shared-'));
  const starts: SwitchboardProcess[] = [];
  const start = async (): Promise<SwitchboardProcess> => {
    const started = startProcess({ DATA_DIR, PORT: String(await freePort()), LOG_LEVEL: 'fatal' });
    starts.push(started);
    await started.untilSaid(/listens on http/);
    return started;
  };
  try {
    const first = await start();
    const second = await start();
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('Switchboard ends, because its database is gone.');
  } finally {
    for (const { child } of starts) child.kill('SIGTERM');
    await Promise.all(starts.map(({ exited }) => exited));
    await rm(DATA_DIR, { recursive: true, force: true });
  }
});
