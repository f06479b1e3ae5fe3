import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';

describe('a session with too many requests', () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { RATE_LIMIT_PER_MINUTE: '20' } });
  });
  afterAll(() => switchboard.close());

  it.each(['/api/tools', '/api/auth/session', '/api/mcp/keys'])(
    'is refused at GET %s, and sessions of other organizations are not',
    async (path) => {
      const acme = await createOrganization(switchboard);
      const globex = await createOrganization(switchboard);
      let last = await acme.fetch(path);
      for (let count = 0; count < 40 && last.status === 200; count += 1) {
        await last.text();
        last = await acme.fetch(path);
      }
      expect(last.status).toBe(429);
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await last.json()).toMatchObject({ code: 'rate_limited', status: 429 });
      expect((await globex.fetch(path)).status).toBe(200);
    },
  );

  it('is refused before the session is read from the database', async () => {
    const acme = await createOrganization(switchboard);
    const session = () => acme.fetch('/api/auth/session');
    const responses = await Promise.all(Array.from({ length: 40 }, session));
    expect(responses.map(({ status }) => status)).toContain(429);
    await switchboard.ownerQuery('begin');
    try {
      await switchboard.ownerQuery('lock table gate.sessions');
      expect((await session()).status).toBe(429);
    } finally {
      await switchboard.ownerQuery('rollback');
    }
  });

  it('finds the sessions and people of requests in one packet with few statements', async () => {
    const patient = await startSwitchboard();
    try {
      const { cookie } = await createOrganization(patient);
      const { host, hostname, port } = new URL(patient.url);
      const lines = [`HEAD /api/auth/session HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`];
      const query = vi.spyOn(patient.app.get(GateDatabase).pool, 'query');
      const socket = connect(Number(port), hostname);
      socket.write(`${lines.join('\r\n')}\r\n\r\n`.repeat(16));
      let answers = '';
      for await (const data of socket) {
        answers += String(data);
        if (answers.split('HTTP/1.1 200').length > 16) break;
      }
      // Two statements are enough when all requests arrive at the same moment.
      expect(query.mock.calls.length).toBeLessThan(16);
    } finally {
      await patient.close();
    }
  });

  itSlow('does not write to the database with each request', async () => {
    const calm = await startSwitchboard();
    try {
      const acme = await createOrganization(calm);
      const version = async () =>
        (await calm.ownerQuery<{ xmin: string }>('select xmin::text from gate.sessions'))[0]!.xmin;
      await (await acme.fetch('/api/auth/session')).text();
      const before = await version();
      for (let count = 0; count < 5; count += 1) {
        await (await acme.fetch('/api/auth/session')).text();
      }
      expect(await version()).toBe(before);
    } finally {
      await calm.close();
    }
  });
});
