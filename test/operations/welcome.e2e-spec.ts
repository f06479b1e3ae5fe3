import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../../src/demo/welcome.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';

describe('the output of a start', () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  });
  afterAll(() => switchboard.close());

  const said = async (): Promise<string> => {
    const lines: string[] = [];
    await welcome(switchboard.app, switchboard.env, (line) => lines.push(line));
    return lines.join('\n');
  };

  it('names the address and the next step', async () => {
    expect(await said()).toContain(`Switchboard listens on ${switchboard.url}`);
    expect(await said()).toContain('/api/auth/sign-up');
  });

  itSlow(
    'omits the next step when the database is unreachable',
    async () => {
      await switchboard.ownerQuery('begin');
      await switchboard.ownerQuery('lock table gate.users in access exclusive mode');
      try {
        const text = await said();
        expect(text).toContain(`Switchboard listens on ${switchboard.url}`);
        expect(text).not.toContain('sign-');
      } finally {
        await switchboard.ownerQuery('rollback');
      }
    },
    30_000,
  );
});
