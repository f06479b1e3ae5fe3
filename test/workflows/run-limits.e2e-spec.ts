import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow, IS_THOROUGH, itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const BURST = IS_THOROUGH ? 200 : 30;
/** A delay that cannot end while a test starts its runs, even on a busy machine. The tests end the delay themselves. */
const DEBOUNCE_SECONDS = 300;

interface Row {
  id: string;
  status: string;
  reason: string | null;
  [key: string]: unknown;
}

let switchboard: Switchboard;
let acme: TestOrganization;
const workers: Switchboard[] = [];
beforeAll(async () => {
  switchboard = await startSwitchboard({
    env: { WORKER_CONCURRENCY: '10' },
    providers: [ProbeTools],
  });
  workers.push(
    await startSwitchboard({
      env: { ROLE: 'worker', REDIS_URL: switchboard.env.redisUrl ?? '' },
      databaseUrl: switchboard.databaseUrl,
      providers: [ProbeTools],
    }),
  );
  acme = await createOrganization(switchboard);
});
afterAll(async () => {
  for (const worker of workers) await worker.close();
  await switchboard.close();
});

const call = (name: string) => [{ id: 'call', tool: 'probe_outside', arguments: { name } }];
const limited = (limits: object, steps: object[] = [], type = 'webhook') =>
  createWorkflow(acme, steps, { trigger: { type, limits } });
const rows = (workflowId: string): Promise<Row[]> =>
  switchboard.ownerQuery<Row>(
    `select * from workflow_runs where workflow_id = $1 order by created_at, id`,
    [workflowId],
  );
const count = async (workflowId: string, status: string): Promise<number> =>
  (await rows(workflowId)).filter((row) => row.status === status).length;
const allEnded = (workflowId: string, runs: number) =>
  waitFor(async () => (await count(workflowId, 'succeeded')) === runs, 100_000);
/** Waits until all runs of the workflow have ended except `left` runs that debounce delays. Then ends their delay. */
const endDebounce = async (workflowId: string, left: number): Promise<void> => {
  await waitFor(async () => {
    const unfinished = (await rows(workflowId)).filter(({ finished_at: end }) => end === null);
    return unfinished.length === left && unfinished.every(({ reason }) => reason === 'debounce');
  });
  await switchboard.ownerQuery(
    `update workflow_runs set delayed_until = now(), created_at = created_at - make_interval(secs => $2)
     where workflow_id = $1 and reason = 'debounce'`,
    [workflowId, DEBOUNCE_SECONDS],
  );
};

/** Returns the maximum of simultaneous runs, by the clock of the database. */
const mostAtOnce = async (workflowId: string, among = 'true'): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ most: number }>(
    `select max(at_once)::int as most from (
       select sum(delta) over (order by at, delta) as at_once from (
         select started_at as at, 1 as delta from workflow_runs where workflow_id = $1 and ${among}
         union all
         select finished_at, -1 from workflow_runs where workflow_id = $1 and ${among}
       ) changes
     ) sums`,
    [workflowId],
  );
  return row!.most;
};

describe.concurrent('a concurrency limit', () => {
  it('holds across several workers, and every accepted run is executed', async () => {
    const { id } = await limited({ concurrency: { runs: 3 } }, call('bounded'));
    const answers = await Promise.all(
      Array.from({ length: BURST }, (_, number) => postWebhook(switchboard, id, { number })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(BURST).fill(202));
    await allEnded(id, BURST);
    expect(await mostAtOnce(id)).toBeLessThanOrEqual(3);
    expect(ProbeTools.count('bounded')).toBe(BURST);
  }, 120_000);

  itSlow('starts delayed runs in the order of their creation, and shows the reason', async () => {
    ProbeTools.hold('ordered');
    const { id } = await limited({ concurrency: { runs: 1 } }, call('ordered'));
    const started: string[] = [];
    for (let number = 0; number < 6; number += 1) {
      started.push((await postWebhook(switchboard, id, { number })).body.runId);
    }
    await runUntil(acme, started[0]!, 'running');
    expect(await getRun(acme, started[3]!)).toMatchObject({
      status: 'queued',
      reason: 'concurrency',
    });
    expect(await count(id, 'running')).toBe(1);
    ProbeTools.open('ordered');
    await allEnded(id, 6);
    const ended = await switchboard.ownerQuery<Row>(
      `select id from workflow_runs where workflow_id = $1 order by started_at`,
      [id],
    );
    expect(ended.map((row) => row.id)).toEqual(started);
    expect((await getRun(acme, started[3]!)).reason).toBeNull();
  });

  itSlow('limits the runs of each key separately', async () => {
    for (const name of ['a', 'b']) ProbeTools.hold(`key ${name}`);
    const { id } = await limited(
      { concurrency: { key: '{{ trigger.payload.who }}', runs_per_key: 1 } },
      call('key {{ trigger.payload.who }}'),
    );
    const start = async (who: string) => (await postWebhook(switchboard, id, { who })).body.runId;
    const [a1, a2, b1, b2] = [
      await start('a'),
      await start('a'),
      await start('b'),
      await start('b'),
    ];
    await runUntil(acme, a1, 'running');
    await runUntil(acme, b1, 'running');
    expect(await count(id, 'running')).toBe(2);
    ProbeTools.open('key b');
    await runUntil(acme, b2, 'succeeded');
    expect((await getRun(acme, a2)).status).toBe('queued');
    ProbeTools.open('key a');
    await allEnded(id, 4);
  });

  it('counts runs of the workflow and of each key, and no key delays another key', async () => {
    const { id } = await limited(
      { concurrency: { runs: 4, key: '{{ trigger.payload.who }}', runs_per_key: 1 } },
      call('both'),
    );
    await Promise.all(
      Array.from({ length: BURST }, (_, number) =>
        postWebhook(switchboard, id, {
          who: number < (BURST * 2) / 3 ? 'busy' : `other ${number % 5}`,
        }),
      ),
    );
    await allEnded(id, BURST);
    expect(await mostAtOnce(id)).toBeLessThanOrEqual(4);
    expect(await mostAtOnce(id, `slot_key = 'busy'`)).toBe(1);
    const [row] = await switchboard.ownerQuery<{ before: boolean }>(
      `select max(finished_at) filter (where slot_key <> 'busy') < max(finished_at) filter (where slot_key = 'busy')
         as before from workflow_runs where workflow_id = $1`,
      [id],
    );
    expect(row!.before).toBe(true);
  }, 120_000);

  itSlow.each([
    ['{{ trigger.payload.who | date: "%s", 1, 2 }}{{ contact.id }}', ''],
    ['{{ contact.id }}', ''],
    ['{{ trigger.payload.long }}', expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
    ['{{ trigger.payload.nul }}', expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
    ['{{ trigger.payload.list }}', '[1,{"a":null}]'],
    ['{{ trigger.payload.number }}', '7'],
  ])('accepts any value of the key %s', async (key, expected) => {
    const { id } = await limited({ concurrency: { key, runs_per_key: 1 } });
    const payload = { long: 'x'.repeat(1000), nul: 'a\0b', list: [1, { a: null }], number: 7 };
    expect((await postWebhook(switchboard, id, payload)).status).toBe(202);
    await allEnded(id, 1);
    expect((await rows(id))[0]!.slot_key).toEqual(expected);
  });

  itSlow(
    'gives the slot of a canceled run to the next run, and skips canceled runs in the queue',
    async () => {
      ProbeTools.hold('canceled');
      const { id } = await limited({ concurrency: { runs: 1 } }, call('canceled'));
      const [first, second, third] = [
        await trigger(acme, id),
        await trigger(acme, id),
        await trigger(acme, id),
      ];
      await runUntil(acme, first, 'running');
      expect((await acme.call('cancel_run', { run_id: second })).error).toBeUndefined();
      expect((await getRun(acme, third)).status).toBe('queued');
      await acme.call('cancel_run', { run_id: first });
      await runUntil(acme, third, 'running');
      ProbeTools.open('canceled');
      await runUntil(acme, third, 'succeeded');
      expect((await getRun(acme, second)).status).toBe('canceled');
    },
  );

  itSlow('applies to retried runs, and to runs that return from a wait', async () => {
    ProbeTools.hold('again');
    const { id } = await limited({ concurrency: { runs: 1 } }, [
      { id: 'pause', wait: { seconds: 1 }, if: 'trigger.payload.wait' },
      ...call('again'),
    ]);
    const waiting = await trigger(acme, id, { wait: true });
    await runUntil(acme, waiting, 'waiting');
    // A waiting run occupies no slot.
    const first = await trigger(acme, id);
    await runUntil(acme, first, 'running');
    await waitFor(async () => (await getRun(acme, waiting)).reason === 'concurrency');
    const retried = await trigger(acme, id);
    await acme.call('cancel_run', { run_id: retried });
    await acme.call('retry_run', { run_id: retried });
    await waitFor(async () => (await getRun(acme, retried)).reason === 'concurrency');
    expect(await count(id, 'running')).toBe(1);
    ProbeTools.open('again');
    await allEnded(id, 3);
  });

  itSlow('applies to replayed runs, and frees the slots of runs canceled in bulk', async () => {
    ProbeTools.hold('replayed');
    const { id } = await limited({ concurrency: { runs: 1 } }, call('replayed'));
    const first = await trigger(acme, id);
    await runUntil(acme, first, 'running');
    for (let run = 0; run < 3; run += 1) await acme.call('replay_run', { run_id: first });
    await waitFor(async () => {
      const reasons = (await rows(id)).map(({ reason }) => reason);
      return reasons.filter((reason) => reason === 'concurrency').length === 3;
    });
    expect(await count(id, 'running')).toBe(1);
    await acme.call('bulk_cancel_runs', { workflow_id: id, status: 'running' });
    await waitFor(async () => (await count(id, 'running')) === 1);
    ProbeTools.open('replayed');
    await allEnded(id, 3);
  });

  itSlow(
    'evaluates the key with the edited payload when a replay has an edited payload',
    async () => {
      const key = '{{ trigger.payload.who }}';
      const { id } = await limited({ concurrency: { key, runs_per_key: 1 } });
      const first = await trigger(acme, id, { who: 'ada' });
      await runUntil(acme, first, 'succeeded');
      await acme.call('replay_run', { run_id: first });
      await acme.call('replay_run', { run_id: first, payload: { who: 'bob' } });
      await allEnded(id, 3);
      expect((await rows(id)).map((row) => row.slot_key).sort()).toEqual(['ada', 'ada', 'bob']);
    },
  );

  itSlow('applies with its current value to runs that are delayed already', async () => {
    ProbeTools.hold('changed');
    const { id } = await limited({ concurrency: { runs: 1 } }, call('changed'));
    for (let run = 0; run < 6; run += 1) await trigger(acme, id);
    await waitFor(async () => (await count(id, 'running')) === 1);
    const change = (limits?: object) =>
      acme.call('update_workflow', { workflow_id: id, trigger: { type: 'webhook', limits } });
    await change({ concurrency: { runs: 3 } });
    await waitFor(async () => (await count(id, 'running')) === 3);
    await change();
    await waitFor(async () => (await count(id, 'running')) === 6);
    ProbeTools.open('changed');
    await allEnded(id, 6);
  });
});

describe.concurrent('a rate limit', () => {
  itSlow('delays the runs above the rate, and executes all of them', async () => {
    const { id } = await limited({ rate: { runs: 5, per_seconds: 2 } }, call('rated'));
    await Promise.all(Array.from({ length: 18 }, () => postWebhook(switchboard, id, {})));
    await waitFor(async () => (await rows(id)).some(({ reason }) => reason === 'rate'));
    await allEnded(id, 18);
    const released = (await rows(id))
      .map((row) => (row.released_at as Date).getTime())
      .sort((a, b) => a - b);
    for (let index = 5; index < released.length; index += 1) {
      expect(released[index]! - released[index - 5]!).toBeGreaterThanOrEqual(1999);
    }
  });

  itSlow('starts runs in the order of their creation', async () => {
    const { id } = await limited({ rate: { runs: 1, per_seconds: 1 } });
    const started: string[] = [];
    for (let run = 0; run < 4; run += 1) started.push(await trigger(acme, id));
    await allEnded(id, 4);
    const order = await switchboard.ownerQuery<Row>(
      `select id from workflow_runs where workflow_id = $1 order by started_at`,
      [id],
    );
    expect(order.map((row) => row.id)).toEqual(started);
  });

  it('applies to retried runs, and does not count canceled runs that never began', async () => {
    const { id } = await limited({ rate: { runs: 1, per_seconds: 3600 } });
    const first = await trigger(acme, id);
    await runUntil(acme, first, 'succeeded');
    const second = await trigger(acme, id);
    await waitFor(async () => (await getRun(acme, second)).reason === 'rate');
    await acme.call('cancel_run', { run_id: second });
    await acme.call('retry_run', { run_id: second });
    await waitFor(async () => (await getRun(acme, second)).reason === 'rate');
    await acme.call('cancel_run', { run_id: second });
    await switchboard.ownerQuery(
      `update workflow_runs set released_at = released_at - interval '1 hour' where id = $1`,
      [first],
    );
    const third = await trigger(acme, id);
    await runUntil(acme, third, 'succeeded');
  });
});

describe.concurrent('a debounce limit', () => {
  itSlow('executes the last of several starts, and ends the others with a reason', async () => {
    const { id } = await limited({ debounce: { seconds: DEBOUNCE_SECONDS } }, call('debounced'));
    const started: string[] = [];
    for (let number = 0; number < 8; number += 1) {
      started.push((await postWebhook(switchboard, id, { number })).body.runId);
    }
    await endDebounce(id, 1);
    const last = await runUntil(acme, started.at(-1)!, 'succeeded');
    expect(last.reason).toBeNull();
    for (const runId of started.slice(0, -1)) {
      expect(await getRun(acme, runId)).toMatchObject({ status: 'canceled', reason: 'debounced' });
    }
    expect(ProbeTools.count('debounced')).toBe(1);
  });

  itSlow('debounces starts with the same key, and no starts without a key', async () => {
    const { id } = await limited({
      debounce: { seconds: DEBOUNCE_SECONDS, key: '{{ trigger.payload.who }}' },
    });
    const start = async (payload: object) =>
      (await postWebhook(switchboard, id, payload)).body.runId;
    const ids = {
      a1: await start({ who: 'a' }),
      b1: await start({ who: 'b' }),
      a2: await start({ who: 'a' }),
      none1: await start({}),
      none2: await start({}),
    };
    await endDebounce(id, 2);
    for (const name of ['b1', 'a2', 'none1', 'none2'] as const) {
      await runUntil(acme, ids[name], 'succeeded');
    }
    expect((await getRun(acme, ids.a1)).reason).toBe('debounced');
  });

  itSlow('delays a run for at most max_seconds', async () => {
    const { id } = await limited({ debounce: { seconds: 60, max_seconds: 120 } });
    const first = await trigger(acme, id);
    const second = await trigger(acme, id);
    await runUntil(acme, first, 'canceled');
    expect((await getRun(acme, second)).reason).toBe('debounce');
    // Simulates starts during two minutes.
    await switchboard.ownerQuery(
      `update workflow_runs set debounce_since = created_at - interval '119 s' where id = $1`,
      [second],
    );
    const third = await trigger(acme, id);
    await runUntil(acme, third, 'succeeded');
    expect((await getRun(acme, second)).reason).toBe('debounced');
    const fourth = await trigger(acme, id);
    await waitFor(async () => (await getRun(acme, fourth)).reason === 'debounce');
  });

  it('measures max_seconds from the first start', async () => {
    const { id } = await limited({ debounce: { seconds: 60, max_seconds: 120 } });
    const first = await trigger(acme, id);
    await waitFor(async () => (await rows(id))[0]!.debounce_since);
    await switchboard.ownerQuery(
      `update workflow_runs set created_at = created_at - interval '100 s', debounce_since = null where id = $1`,
      [first],
    );
    for (let number = 2; number <= 4; number += 1) {
      await trigger(acme, id);
      await waitFor(async () => (await count(id, 'canceled')) === number - 1);
    }
    const [oldest, ...later] = await rows(id);
    const at = (time: unknown): number => (time as Date).getTime();
    expect(at(later.at(-1)!.delayed_until) - at(oldest!.created_at)).toBe(120_000);
  });

  itSlow('executes no earlier run while another transaction has locked the last run', async () => {
    const { id } = await limited({ debounce: { seconds: 60 } }, call('locked'));
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, limited,
         delayed_by, reason, debounce_key, created_at, delayed_until)
       select $1, name, $2, 1, 'webhook', '{}', true, 'debounce', 'debounce', '', clock_timestamp() - age, 'infinity'
       from (values ('run_earlier', interval '70 s'), ('run_last', interval '1 s')) runs (name, age)`,
      [acme.id, id],
    );
    const merge = new Client({ connectionString: switchboard.databaseUrl });
    await merge.connect();
    try {
      await merge.query('begin');
      await merge.query(`select from workflow_runs where id = 'run_last' for update`);
      const [row] = await switchboard.ownerQuery<Row>(
        `update workflow_runs set delayed_until = now() where id = 'run_earlier' returning delayed_until`,
      );
      // A check postpones the run, because the limit cannot be applied without the last run.
      await waitFor(async () => {
        const [earlier] = await rows(id);
        return earlier!.delayed_until! > row!.delayed_until! || earlier!.status !== 'queued';
      });
    } finally {
      await merge.end();
    }
    await waitFor(async () => (await rows(id))[0]!.status !== 'queued');
    expect((await rows(id))[0]).toMatchObject({ status: 'canceled', reason: 'debounced' });
    expect(ProbeTools.count('locked')).toBe(0);
  });

  itSlow('debounces simultaneous starts one by one', async () => {
    const { id } = await limited({ debounce: { seconds: DEBOUNCE_SECONDS } }, call('flood'));
    const answers = await Promise.all(
      Array.from({ length: BURST }, (_, number) => postWebhook(switchboard, id, { number })),
    );
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    await endDebounce(id, 1);
    await allEnded(id, 1);
    expect(await count(id, 'canceled')).toBe(BURST - 1);
    expect(ProbeTools.count('flood')).toBe(1);
  });

  itSlow('applies the other limits after the delay of debounce', async () => {
    ProbeTools.hold('all limits');
    const { id } = await limited(
      {
        debounce: { seconds: DEBOUNCE_SECONDS, key: '{{ trigger.payload.who }}' },
        rate: { runs: 2, per_seconds: 3600 },
        concurrency: { runs: 1 },
      },
      call('all limits'),
    );
    for (const who of ['a', 'b', 'c', 'c']) await postWebhook(switchboard, id, { who });
    await endDebounce(id, 3);
    await waitFor(async () => {
      const reasons = (await rows(id)).map(({ status, reason }) => `${status} ${reason}`).sort();
      return (
        reasons.join() ===
        ['canceled debounced', 'queued concurrency', 'queued rate', 'running null'].join()
      );
    });
    ProbeTools.open('all limits');
    await waitFor(async () => (await count(id, 'succeeded')) === 2);
  });
});

describe.concurrent('processes that crash', () => {
  it('release their slots after another worker has continued and ended their run', async () => {
    const { id } = await limited({ concurrency: { runs: 1 } }, call('died'));
    const gate = switchboard.app.get(GateDatabase);
    // Raising the epoch simulates that another worker claims the run and dies. The update of `available_at` below ends
    // the lease of that worker.
    ProbeTools.hold('died');
    const first = await trigger(acme, id);
    await runUntil(acme, first, 'running');
    const second = await trigger(acme, id);
    await switchboard.ownerQuery(`update workflow_runs set epoch = epoch + 1 where id = $1`, [
      first,
    ]);
    ProbeTools.open('died');
    expect(await gate.call('admit_runs', [second])).toEqual([]);
    expect((await getRun(acme, second)).reason).toBe('concurrency');
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      first,
    ]);
    await runUntil(acme, second, 'succeeded');
    expect((await getRun(acme, first)).status).toBe('succeeded');
    expect(await mostAtOnce(id)).toBe(1);
  });

  itSlow('leave the admission of delayed runs to the sweep', async () => {
    const { id } = await limited({
      concurrency: { runs: 1, runs_per_key: 1, key: '{{ trigger.payload.who }}' },
      rate: { runs: 100, per_seconds: 1 },
    });
    const plain = await createWorkflow(acme, []);
    for (let run = 0; run < 3; run += 1) {
      await runUntil(acme, await trigger(acme, plain.id), 'succeeded');
    }
    // This is the state after a crash between the commit and the admission, for each limit.
    for (const [index, gate] of ['rate', 'key', 'slot'].entries()) {
      await switchboard.ownerQuery(
        `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, limited,
           delayed_by, reason, slot_key)
         values ($1, $2, $3, 1, 'webhook', '{}', true, $4, 'concurrency', 'x')`,
        [acme.id, `run_lost_${gate}`, id, gate],
      );
      await allEnded(id, index + 1);
    }
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, limited,
         delayed_by, reason, debounce_key, delayed_until)
       values ($1, 'run_lost_debounce', $2, 1, 'webhook', '{}', true, 'debounce', 'debounce', '', now())`,
      [acme.id, id],
    );
    await allEnded(id, 4);
  });
});

describeSlow('without workers', () => {
  let web: Switchboard;
  let organization: TestOrganization;
  beforeAll(async () => {
    web = await startSwitchboard({ env: { ROLE: 'web' } });
    organization = await createOrganization(web);
  });
  afterAll(() => web.close());

  it('the start and the end of a run admit runs immediately, without a poll', async () => {
    const { id } = await createWorkflow(organization, [], {
      trigger: { type: 'manual', limits: { concurrency: { runs: 1 } } },
    });
    const reason = async (runId: string) => (await getRun(organization, runId)).reason;
    const first = await trigger(organization, id);
    await waitFor(async () => (await reason(first)) === null);
    const second = await trigger(organization, id);
    expect(await reason(second)).toBe('concurrency');
    await organization.call('cancel_run', { run_id: first });
    await waitFor(async () => (await reason(second)) === null);
    const third = await trigger(organization, id);
    await organization.call('bulk_cancel_runs', { workflow_id: id, limit: 2 });
    expect(await reason(third)).toBe('requested');
    const fourth = await trigger(organization, id);
    await waitFor(async () => (await reason(fourth)) === null);
    await organization.call('cancel_run', { run_id: fourth });
  });

  it('a claim does not read delayed runs', async () => {
    const { id } = await createWorkflow(organization, [], {
      trigger: { type: 'manual', limits: { concurrency: { runs: 1 } } },
    });
    await web.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, limited,
           delayed_by, reason)
         select $1, 'run_' || n, $2, 1, 'manual', '{}', true, 'slot', 'concurrency' from generate_series(1, 10000) n`,
      [organization.id, id],
    );
    const free = await createWorkflow(organization, []);
    const runId = await trigger(organization, free.id);
    const worker = web.app.get(RunWorker, { strict: false });
    expect((await worker.claim(10)).map((claim) => claim.id)).toEqual([runId]);
    await web.ownerQuery('analyze workflow_runs');
    await web.ownerQuery('begin');
    // The first call of a session also reads the catalogs: about 1,000 blocks.
    await web.ownerQuery(`select gate.admit_runs('run_1')`);
    const [explained] = await web.ownerQuery<{
      'QUERY PLAN': [{ Plan: Record<string, number> }];
    }>(`explain (analyze, buffers, format json) select * from gate.admit_runs('run_1')`);
    await web.ownerQuery('rollback');
    expect(explained!['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(1000);
  });
});

describe('limits in a definition', () => {
  it('are shown as given, and can be sent back without making a new version', async () => {
    const limits = {
      concurrency: { runs: 5, key: '{{ contact.id }}', runs_per_key: 1 },
      rate: { runs: 10, per_seconds: 60 },
      debounce: { seconds: 30, key: '{{ trigger.payload.id }}', max_seconds: 300 },
    };
    const workflow = await limited(limits, [], 'manual');
    expect(workflow.trigger).toEqual({ type: 'manual', limits });
    const { value } = await acme.call<{ workflow: { version: number } }>('update_workflow', {
      workflow_id: workflow.id,
      trigger: workflow.trigger,
    });
    expect(value.workflow.version).toBe(1);
  });

  it('are checked, and report the path of each fault', async () => {
    const { error } = await acme.call('create_workflow', {
      name: 'Faulty',
      steps: [],
      trigger: {
        type: 'event',
        event: 'contact.created',
        limits: {
          concurrency: { key: '{{ steps.a }}', runs_per_key: 0 },
          debounce: { seconds: 5, key: '{{ trigger.payload.id | nope }}' },
          burst: 1,
        },
      },
    });
    expect(error!.details!.map(({ path }) => path).sort()).toEqual([
      'trigger.limits.burst',
      'trigger.limits.concurrency.key',
      'trigger.limits.concurrency.runs_per_key',
      'trigger.limits.debounce.key',
    ]);
  });
});
