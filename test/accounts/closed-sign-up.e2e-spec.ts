import { afterEach, describe, expect, it } from 'vitest';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

describe('sign-up with SIGN_UP=closed', () => {
  const started: Switchboard[] = [];
  const start = async (databaseUrl?: string) => {
    const switchboard = await startSwitchboard({ env: { SIGN_UP: 'closed' }, databaseUrl });
    started.push(switchboard);
    return switchboard;
  };
  afterEach(async () => {
    for (const switchboard of started.splice(0).toReversed()) await switchboard.close();
  });

  const signUp = ({ url }: Switchboard, number: number) =>
    postJson(`${url}/api/auth/sign-up`, {
      email: `first${number}@example.com`,
      password: 'a long enough password',
      organization_name: 'First',
    });

  it('creates one account for simultaneous sign-ups to two processes', async () => {
    const one = await start();
    const other = await start(one.databaseUrl);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => signUp(number % 2 === 0 ? one : other, number)),
    );
    const [row] = await one.ownerQuery<{ users: number; organizations: number }>(
      `select (select count(*)::int from gate.users) as users,
         (select count(*)::int from organizations) as organizations`,
    );
    expect(row).toEqual({ users: 1, organizations: 1 });
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(await refused.json()).toMatchObject({
      code: 'forbidden',
      detail: 'Sign-up is closed. Ask the operator for an account.',
    });
    expect((await signUp(one, 9)).status).toBe(403);
  });
});
