import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
