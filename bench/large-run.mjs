// Measures get_run of a run with many large outputs, and how long other requests wait in the meantime.
import { quantile, signUp } from './backlog.mjs';
import { connect, makeDatabase } from './databases.mjs';
import { start } from './processes.mjs';

const MOST_BYTES = 1024 * 1024;

/** Returns the milliseconds of get_run, and of other requests that arrive at the same time. */
export async function measure({ databaseUrl, env }, { smoke }) {
  const extent = smoke ? { steps: 5, calls: 3 } : { steps: 1000, calls: 300 };
  const url = await makeDatabase(databaseUrl, 'large_run');
  const client = await connect(url);
  const service = await start('contestants/switchboard.mjs', [], { ...env, DATABASE_URL: url });
  try {
    const web = new URL(service.url).origin;
    const { organizationId, call } = await signUp(web);
    const { workflow } = await call('create_workflow', {
      name: 'Large outputs',
      trigger: { type: 'manual' },
      steps: [],
    });
    const { run_id: runId } = await call('trigger_workflow', { workflow_id: workflow.id });
    await insertSteps(client, organizationId, runId, extent.steps);
    const times = { run: [], others: [] };
    let bytes = 0;
    // The first calls only warm up.
    for (let number = -5; number < extent.calls; number += 1) {
      const [run, other] = await Promise.all([
        timed(async () => {
          const answer = await call('get_run', { run_id: runId });
          bytes = Buffer.byteLength(JSON.stringify(answer));
        }),
        timed(async () => await (await fetch(`${web}/health/live`)).text()),
      ]);
      if (number < 0) continue;
      times.run.push(run);
      times.others.push(other);
    }
    if (bytes > MOST_BYTES)
      throw new Error(`get_run returned ${bytes} bytes, more than ${MOST_BYTES}.`);
    const show = (values) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });
    return {
      'large-run': {
        rounds: undefined,
        ...extent,
        bytes,
        run: show(times.run),
        others: show(times.others),
      },
    };
  } finally {
    await client.end();
    await service.stop();
  }
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Adds finished steps to a run, each with an output of almost 1 MiB. */
async function insertSteps(client, organizationId, runId, steps) {
  const output = JSON.stringify({ text: 'x'.repeat(1_000_000) });
  const cut = { output: { bytes: output.length, preview: output.slice(0, 1000) } };
  await client.query(
    `insert into run_steps (organization_id, run_id, step_id, position, tool, status, attempts, input, output, cut,
       started_at, finished_at)
     select $1, $2, 'step_' || n, n + 1000, 'http_request', 'succeeded', 1, '{}', $3, $4, now(), now()
     from generate_series(1, $5::integer) n`,
    [organizationId, runId, output, JSON.stringify(cut), steps],
  );
}
