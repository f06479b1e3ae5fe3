import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

describe('accounts', () => {
  let switchboard: Switchboard;
  beforeAll(async () => {
    switchboard = await startSwitchboard();
  });
  afterAll(() => switchboard.close());

  it('signs up, shows the session', async () => {
    const acme = await createOrganization(switchboard);
    const session = await acme.fetch('/api/auth/session');
    expect(session.status).toBe(200);
  });
});
