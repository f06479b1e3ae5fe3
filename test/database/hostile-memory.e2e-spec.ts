import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { runSql, SqlTools } from './sql-tools.js';

/** Each term takes 1 GB of memory until the statement ends. */
const TERM = `octet_length(repeat(repeat('x', 1000), 1000000))::bigint`;

// The service limits the memory of the processes of PostgreSQL only on Linux.
describe.runIf(process.platform === 'linux')('SQL of a tool that takes much memory', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
    hostile = await createOrganization(switchboard, 'Hostile');
  });
  afterAll(() => switchboard.close());

  const startOfServer = () =>
    switchboard.ownerQuery<{ at: string }>('select pg_postmaster_start_time()::text as at');

  it('fails in the embedded PostgreSQL, which does not restart', async () => {
    const before = await startOfServer();
    // The statement fails within seconds. The time limit is removed for the case that the machine is busy.
    const [, outcome] = await runSql(
      hostile,
      'set statement_timeout = 0',
      `select ${Array.from({ length: 6 }, () => TERM).join(' + ')} as bytes`,
    );
    expect(outcome).toEqual({ error: expect.stringContaining('out of memory') });
    expect(await startOfServer()).toEqual(before);
    const created = await hostile.call('create_contact', { email: 'a@example.com' });
    expect(created.error).toBeUndefined();
  });
});
