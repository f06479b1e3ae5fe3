import { afterEach, describe, expect, it } from 'vitest';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const LOCK = 4712;

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
    // The trigger makes each insert of a person wait for this lock. So both sign-ups are open at the same time.
    await one.ownerQuery(`
      create function public.hold_here() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${LOCK});
        return new;
      end $$`);
    await one.ownerQuery(
      'create trigger hold before insert on gate.users for each row execute function public.hold_here()',
    );
    await one.ownerQuery(`select pg_advisory_lock(${LOCK})`);
    const signedUp = Promise.all([signUp(one, 1), signUp(other, 2)]);
    await waitFor(async () => {
      const waiting = await one.ownerQuery(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length === 2;
    });
    await one.ownerQuery(`select pg_advisory_unlock(${LOCK})`);
    const answers = await signedUp;
    const [row] = await one.ownerQuery<{ users: number; organizations: number }>(
      `select (select count(*)::int from gate.users) as users,
         (select count(*)::int from organizations) as organizations`,
    );
    expect(row).toEqual({ users: 1, organizations: 1 });
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(await refused.json()).toMatchObject({
      code: 'forbidden',
      detail: 'Sign-up is closed. Ask the operator for an account.',
    });
    expect((await signUp(one, 9)).status).toBe(403);
  });
});
