import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { type TestImport, upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';
import { NO_COUNTS, rejectedRows } from './import.js';

const ROWS = Number(process.env.TEST_IMPORT_ROWS ?? 100_000);
const KILLS = 3;
const MiB = 1024 * 1024;

describe('an import of 100,000 rows', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  const workers: SwitchboardProcess[] = [];

  beforeAll(async () => {
    buildTree();
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
  }, 300_000);
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ exited }) => exited));
    await switchboard.close();
  });

  const startWorker = async (): Promise<SwitchboardProcess> => {
    const worker = startProcess({
      ROLE: 'worker',
      DATABASE_URL: switchboard.databaseUrl,
      DATA_DIR: switchboard.dataDir,
      LOG_LEVEL: 'warn',
    });
    workers.push(worker);
    await worker.untilSaid(/worker is running/);
    return worker;
  };
  const countContacts = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      'select count(*)::integer as count from contacts where organization_id = $1',
      [acme.id],
    );
    return row!.count;
  };
  const processed = async (id: string): Promise<number> => {
    const { value } = await acme.call<{ import: TestImport }>('get_import', { import_id: id });
    return value.import.processed;
  };
  const memoryOf = async ({ child }: SwitchboardProcess): Promise<number> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024;
  };

  it('imports each row once although workers are killed, and needs little memory', async () => {
    const lines = Array.from(
      { length: ROWS },
      (_, index) =>
        `person.${index}@example.com,cus_${index},Person,Number ${index},"vip;${index % 7}",pro`,
    );
    // Every thousandth row repeats the row before it.
    const file = lines.flatMap((line, index) => (index % 1000 === 999 ? [line, line] : [line]));
    const header = 'email,external_id,first_name,last_name,tags,properties.plan';
    const { id, rows } = await upload(acme, [header, ...file].join('\n'));
    expect(rows).toBe(file.length);
    const { error } = await acme.call('start_import', { import_id: id, match_by: 'email' });
    expect(error).toBeUndefined();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = await processed(id);
      const worker = await startWorker();
      await waitFor(async () => (await processed(id)) > before);
      worker.child.kill('SIGKILL');
      await worker.exited;
      expect(await processed(id)).toBeLessThan(rows);
      // Ends the lease of the killed worker. Otherwise the next worker would wait for the end of the lease.
      await switchboard.ownerQuery('update imports set lease_until = now()');
    }
    const worker = await startWorker();
    const idle = await memoryOf(worker);
    const done = await waitFor(async () => {
      const { value } = await acme.call<{ import: TestImport }>('get_import', { import_id: id });
      const found = value.import;
      return found.status === 'completed' ? found : undefined;
    }, 600_000);
    const duplicates = file.length - ROWS;
    expect(done.counts).toEqual({ ...NO_COUNTS, created: ROWS, duplicate: duplicates });
    expect(done.processed).toBe(file.length);
    expect(await countContacts()).toBe(ROWS);
    expect(await rejectedRows(acme, id)).toHaveLength(duplicates);
    const used = (await memoryOf(worker)) - idle;
    expect(used / MiB).toBeLessThan(150);
  }, 900_000);
});
