import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, trigger } from './support/workflow-client.js';

const WAIT = {
  id: 'wait',
  wait_for_event: { event: 'custom.paid', timeout: { days: 3 } },
};

describe('an event that cannot be delivered to one of three waits', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let runs: string[];

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    // Each event looks like an event that many workers have claimed.
    await switchboard.ownerQuery(`
      create function claim_often() returns trigger language plpgsql as $$
      begin
        new.epoch := 1000;
        return new;
      end $$;
      create trigger claim_often before insert on pending_events for each row execute function claim_often();
      create function refuse_wait() returns trigger language plpgsql as $$
      begin
        if new.state = 'delivered' and new.run_id = tg_argv[0] and new.error is null then
          -- A failure can take longer than the turn of an event.
          perform pg_sleep(1.1);
          raise exception 'broken' using errcode = tg_argv[1];
        end if;
        return new;
      end $$`);
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
    const { id } = await createWorkflow(acme, [WAIT], { trigger: { type: 'manual' } });
    runs = [];
    for (let started = 0; started < 3; started += 1) {
      const runId = await trigger(acme, id);
      await runUntil(acme, runId, 'waiting');
      runs.push(runId);
    }
    runs.sort();
    await refuse(runs[1]!);
    expect((await acme.call('emit_event', { event: 'custom.paid', data: {} })).status).toBe(200);
    await failures((count) => count > 0);
  });
  afterAll(() => switchboard.close());

  const refuse = (runId: string, errcode = 'P0001') =>
    switchboard.ownerQuery(
      `create or replace trigger refuse_wait before update on run_waits for each row
       execute function refuse_wait('${runId}', '${errcode}')`,
    );
  const failures = (isEnough: (count: number) => boolean) =>
    waitFor(async () => {
      const [row] = await switchboard.ownerQuery<{ failures: number }>(
        'select failures from pending_events where organization_id = $1',
        [acme.id],
      );
      return row && isEnough(row.failures);
    });
  const repeat = (count: number) =>
    switchboard.ownerQuery(
      'update pending_events set failures = $2, available_at = now() where organization_id = $1',
      [acme.id, count],
    );

  it('is delivered to all waits after the cause of the failure was removed, even if the event was claimed many times', async () => {
    await runUntil(acme, runs[0]!, 'succeeded');
    await switchboard.ownerQuery('drop trigger refuse_wait on run_waits');
    await repeat(19);
    for (const runId of runs) await runUntil(acme, runId, 'succeeded');
  });

  it('counts a statement that takes too long as a failure of the event', async () => {
    // The server reports this code when a statement takes too long.
    await refuse(runs[1]!, '57014');
    await repeat(5);
    await failures((count) => count > 5);
    await runUntil(acme, runs[0]!, 'succeeded');
  });

  it('ends the failing wait with an error after many failures, and is delivered to the next wait', async () => {
    await repeat(20);
    const failed = await runUntil(acme, runs[1]!, 'failed');
    expect(failed.steps[0]).toMatchObject({
      error: { message: expect.stringContaining('internal error') as string },
    });
    await runUntil(acme, runs[0]!, 'succeeded');
    await runUntil(acme, runs[2]!, 'succeeded');
  });
});
