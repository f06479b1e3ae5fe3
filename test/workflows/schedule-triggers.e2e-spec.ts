import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScheduleWorker } from '../../src/workflows/triggers/schedule.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, type WorkflowShape } from './support/workflow-client.js';

const at = (cron: string, more: object = {}) => ({ trigger: { type: 'schedule', cron, ...more } });

interface Schedule {
  at: Date;
  isFuture: boolean;
  /** The local time in Vienna. */
  shown: string;
}

/** Reads the schedules of one installation and changes their due times. */
function observe(switchboard: Switchboard) {
  return {
    scheduleOf: async (workflowId: string): Promise<Schedule | undefined> =>
      (
        await switchboard.ownerQuery<Schedule>(
          `select next_tick_at as at, next_tick_at > now() as "isFuture",
             to_char(next_tick_at at time zone 'Europe/Vienna', 'Dy HH24:MI') as shown
           from workflow_schedules where workflow_id = $1`,
          [workflowId],
        )
      )[0],
    /** Sets the next tick to a time in the past and returns it. */
    due: async (workflowId: string, ago: string): Promise<string> => {
      const [row] = await switchboard.ownerQuery<{ at: Date }>(
        `update workflow_schedules set next_tick_at = date_trunc('milliseconds', now()) - $2::interval,
           available_at = now() - $2::interval
         where workflow_id = $1 returning next_tick_at as at`,
        [workflowId, ago],
      );
      return row!.at.toISOString();
    },
    runsOf: async (workflowId: string): Promise<{ id: string; payload: string }[]> =>
      await switchboard.ownerQuery<{ id: string; payload: string }>(
        `select id, convert_from(payload, 'UTF8') as payload from workflow_runs where workflow_id = $1`,
        [workflowId],
      ),
  };
}

// There is no worker. The tests claim the ticks.
describe('the schedule of a workflow', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let worker: ScheduleWorker;
  let look: ReturnType<typeof observe>;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    worker = switchboard.app.get(ScheduleWorker, { strict: false });
    look = observe(switchboard);
  });
  afterAll(() => switchboard.close());

  const claim = async (id: string) => (await worker.claim(1, id))[0];
  const expire = (id: string) =>
    switchboard.ownerQuery(
      'update workflow_schedules set available_at = now() where workflow_id = $1',
      [id],
    );
  const update = (id: string, changes: object) =>
    acme.call<{ workflow: WorkflowShape }>('update_workflow', { workflow_id: id, ...changes });

  it('is shown with its defaults, and follows the clocks of its time zone', async () => {
    const plain = await createWorkflow(acme, [], at('30 6 * * *'));
    expect(plain).toMatchObject({
      trigger: { type: 'schedule', cron: '30 6 * * *', timezone: 'UTC', missed: 'skip' },
      webhook_url: null,
    });
    const workflow = await createWorkflow(
      acme,
      [],
      at('0 9 * * 1', { timezone: 'Europe/Vienna', missed: 'run_once' }),
    );
    expect(workflow.trigger).toMatchObject({ timezone: 'Europe/Vienna', missed: 'run_once' });
    expect(await look.scheduleOf(workflow.id)).toMatchObject({
      isFuture: true,
      shown: 'Mon 09:00',
    });
    expect(await claim(workflow.id)).toBeUndefined();
  });

  it('shows its next five times while it is active', async () => {
    const { id } = await createWorkflow(acme, [], at('30 9 * * 1', { timezone: 'Europe/Vienna' }));
    const shown = async (): Promise<string[] | undefined> => {
      const given = { workflow_id: id };
      const { value } = await acme.call<{ workflow: { next_times?: string[] } }>(
        'get_workflow',
        given,
      );
      return value.workflow.next_times;
    };
    const times = (await shown())!;
    expect(times).toHaveLength(5);
    expect(times[0]).toBe((await look.scheduleOf(id))!.at.toISOString());
    const days = times.map((time) => Math.round(Date.parse(time) / 86_400_000));
    expect(days.slice(1).map((day, index) => day - days[index]!)).toEqual([7, 7, 7, 7]);
    await acme.call('deactivate_workflow', { workflow_id: id });
    expect(await shown()).toBeUndefined();
  });

  it('starts one run for a tick, and plans the next tick', async () => {
    const workflow = await createWorkflow(acme, [], at('0 9 * * 1', { timezone: 'Europe/Vienna' }));
    const tick = await look.due(workflow.id, '20 seconds');
    await worker.work((await claim(workflow.id))!);
    const runs = await look.runsOf(workflow.id);
    expect(runs.map(({ payload }) => JSON.parse(payload) as object)).toEqual([
      { scheduled_at: tick },
    ]);
    expect(await look.scheduleOf(workflow.id)).toMatchObject({
      isFuture: true,
      shown: 'Mon 09:00',
    });
    expect(await claim(workflow.id)).toBeUndefined();
  });

  it('gives each tick to one worker', async () => {
    const workflow = await createWorkflow(acme, [], at('* * * * *'));
    await look.due(workflow.id, '1 second');
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(workflow.id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('starts one run when two workers have the same tick', async () => {
    for (const order of ['old first', 'new first', 'together']) {
      const workflow = await createWorkflow(acme, [], at('0 9 * * *'));
      await look.due(workflow.id, '1 second');
      const old = (await claim(workflow.id))!;
      // The worker pauses for longer than its lease and continues.
      await expire(workflow.id);
      const present = (await claim(workflow.id))!;
      expect(present.epoch).toBe(old.epoch + 1);
      if (order === 'together') await Promise.all([worker.work(old), worker.work(present)]);
      else {
        await worker.work(order === 'old first' ? old : present);
        await worker.work(order === 'old first' ? present : old);
      }
      expect(await look.runsOf(workflow.id)).toHaveLength(1);
      expect((await look.scheduleOf(workflow.id))!.isFuture).toBe(true);
      expect(await worker.renew([old, present])).toEqual([]);
    }
  });

  it('keeps the tick of a worker that dies, and makes a tick that a worker gives back due after five seconds', async () => {
    const workflow = await createWorkflow(acme, [], at('0 9 * * *'));
    await look.due(workflow.id, '1 second');
    const dead = await claim(workflow.id);
    expect(await claim(workflow.id)).toBeUndefined();
    await expire(workflow.id);
    const given = (await claim(workflow.id))!;
    expect(await worker.renew([dead!, given])).toEqual([given]);
    const [before] = await switchboard.ownerQuery<{ at: Date }>('select now() as at');
    await worker.release([given]);
    const [pause] = await switchboard.ownerQuery<{ isRight: boolean }>(
      `select available_at - interval '5 s' between $2 and now() as "isRight"
       from workflow_schedules where workflow_id = $1`,
      [workflow.id, before!.at],
    );
    expect(pause!.isRight).toBe(true);
    await expire(workflow.id);
    await worker.work((await claim(workflow.id))!);
    expect(await look.runsOf(workflow.id)).toHaveLength(1);
  });

  it('stores the run and the next tick in one transaction', async () => {
    const workflow = await createWorkflow(acme, [], at('0 9 * * *'));
    const tick = await look.due(workflow.id, '1 second');
    await switchboard.ownerQuery(`
      create function public.refuse() returns trigger language plpgsql as $$
      begin raise exception 'out of order'; end $$`);
    for (const table of ['workflow_runs', 'workflow_schedules']) {
      const held = (await claim(workflow.id))!;
      // The constraint is deferred, so that it fails at the commit.
      await switchboard.ownerQuery(
        `create constraint trigger refuse after insert or update on ${table}
         deferrable initially deferred for each row execute function public.refuse()`,
      );
      try {
        await expect(worker.work(held)).rejects.toThrow();
      } finally {
        await switchboard.ownerQuery(`drop trigger refuse on ${table}`);
      }
      expect(await look.runsOf(workflow.id)).toEqual([]);
      expect((await look.scheduleOf(workflow.id))!.at.toISOString()).toBe(tick);
      await expire(workflow.id);
    }
    await worker.work((await claim(workflow.id))!);
    expect(await look.runsOf(workflow.id)).toHaveLength(1);
  });

  it('skips missed ticks, or starts one run for all of them', async () => {
    const skipping = await createWorkflow(acme, [], at('0 9 * * *'));
    await look.due(skipping.id, '3 days');
    await worker.work((await claim(skipping.id))!);
    expect(await look.runsOf(skipping.id)).toEqual([]);
    expect((await look.scheduleOf(skipping.id))!.isFuture).toBe(true);

    const often = await createWorkflow(acme, [], at('* * * * *'));
    await look.due(often.id, '3 days');
    await worker.work((await claim(often.id))!);
    // The tick of the last minute is not missed.
    expect(await look.runsOf(often.id)).toHaveLength(1);

    const catching = await createWorkflow(acme, [], at('* * * * *', { missed: 'run_once' }));
    const tick = await look.due(catching.id, '3 days');
    await worker.work((await claim(catching.id))!);
    const [run] = await look.runsOf(catching.id);
    expect(JSON.parse(run!.payload)).toEqual({ scheduled_at: tick });
    expect((await look.scheduleOf(catching.id))!.at.getTime()).toBeGreaterThan(
      Date.parse(tick) + 2 * 86_400_000,
    );
  });

  it('is planned again when the workflow is changed, deactivated, activated or deleted', async () => {
    const { id } = await createWorkflow(acme, [], { ...at('0 9 * * *'), active: false });
    expect(await look.scheduleOf(id)).toBeUndefined();
    await acme.call('activate_workflow', { workflow_id: id });
    expect(await look.scheduleOf(id)).toMatchObject({ isFuture: true });

    const tick = await look.due(id, '1 second');
    await acme.call('activate_workflow', { workflow_id: id });
    await update(id, { name: 'New' });
    await update(id, at('0 9 * * *', { timezone: 'UTC' }));
    expect((await look.scheduleOf(id))!.at.toISOString()).toBe(tick);

    const held = (await claim(id))!;
    const changed = await update(id, at('15 4 * * *', { timezone: 'Europe/Vienna' }));
    // The new name made version 2.
    expect(changed.value.workflow.version).toBe(3);
    await worker.work(held);
    expect(await look.runsOf(id)).toEqual([]);
    const { shown } = (await look.scheduleOf(id))!;
    expect(shown).toContain('04:15');

    await acme.call('deactivate_workflow', { workflow_id: id });
    expect(await look.scheduleOf(id)).toBeUndefined();
    await acme.call('activate_workflow', { workflow_id: id });
    await update(id, { trigger: { type: 'manual' } });
    expect(await look.scheduleOf(id)).toBeUndefined();
    await update(id, at('0 9 * * *'));
    expect(await look.scheduleOf(id)).toBeDefined();
    await acme.call('delete_workflow', { workflow_id: id });
    expect(await look.scheduleOf(id)).toBeUndefined();
  });

  it('starts no run when the condition is false', async () => {
    const trigger = at('* * * * *', { if: "trigger.payload.scheduled_at contains '1999-'" });
    const workflow = await createWorkflow(acme, [], trigger);
    await look.due(workflow.id, '1 second');
    await worker.work((await claim(workflow.id))!);
    expect(await look.runsOf(workflow.id)).toEqual([]);
    expect(await look.scheduleOf(workflow.id)).toBeDefined();
  });

  it.each(
    sample<[object, string, string]>(
      [
        [{}, 'trigger.cron', 'is required'],
        [{ cron: 7 }, 'trigger.cron', 'must be text of at most 200 characters'],
        [
          { cron: '0 9 * *' },
          'trigger.cron',
          'must have five fields: minute, hour, day of the month, month, weekday',
        ],
        [{ cron: '0 25 * * *' }, 'trigger.cron', 'has no hour (0 to 23) in "25"'],
        [{ cron: '0 0 31 2 *' }, 'trigger.cron', 'never matches a date'],
        [
          { cron: '0 9 * * *', timezone: 'Mars/Base' },
          'trigger.timezone',
          'must be a time zone such as Europe/Berlin',
        ],
        [
          { cron: '0 9 * * *', timezone: '+02:00' },
          'trigger.timezone',
          'must be a time zone such as Europe/Berlin',
        ],
        [{ cron: '0 9 * * *', missed: 'all' }, 'trigger.missed', 'must be skip or run_once'],
        [{ cron: '0 9 * * *', tz: 'UTC' }, 'trigger.tz', 'is not known. Did you mean if?'],
      ],
      3,
    ),
  )('is refused for %j', async (given, path, message) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'schedule', ...given },
      steps: [],
    });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path, message }] });
  });
});

describe.runIf(IS_THOROUGH)('schedules with workers in two processes', () => {
  let one: Switchboard;
  let two: Switchboard;
  beforeAll(async () => {
    one = await startSwitchboard();
    two = await startSwitchboard({ databaseUrl: one.databaseUrl });
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });

  it('start one run per tick', async () => {
    const acme = await createOrganization(one);
    const look = observe(one);
    const ids: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      ids.push((await createWorkflow(acme, [], at('0 9 1 1 *'))).id);
    }
    for (const round of [1, 2, 3]) {
      await one.ownerQuery(
        `update workflow_schedules set next_tick_at = date_trunc('milliseconds', clock_timestamp()), available_at = now()
         where workflow_id = any ($1)`,
        [ids],
      );
      await waitFor(async () => {
        const left = await one.ownerQuery(
          'select from workflow_schedules where workflow_id = any ($1) and next_tick_at <= now()',
          [ids],
        );
        return left.length === 0;
      });
      for (const id of ids) expect(await look.runsOf(id)).toHaveLength(round);
    }
    for (const id of ids) {
      for (const run of await look.runsOf(id)) {
        expect((await runUntil(acme, run.id, 'succeeded')).trigger.type).toBe('schedule');
      }
    }
  });
});
