import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

const PROBES = 50;

describe('GET /health/ready', () => {
  let switchboard: RunningSwitchboard;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
  });
  afterEach(() => vi.restoreAllMocks());

  it('shares a look-up with the other probes of the same second', async () => {
    const query = vi.spyOn(switchboard.app.get(GateDatabase).pool, 'query');
    const probes = Array.from({ length: PROBES }, () => fetch(`${switchboard.url}/health/ready`));
    expect(new Set((await Promise.all(probes)).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
    const lookUps = query.mock.calls.filter(([statement]) =>
      JSON.stringify(statement).includes('has_accounts'),
    );
    expect(lookUps.length).toBeLessThan(PROBES / 2);
  });
});
