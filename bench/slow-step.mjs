// Measures whether a step that waits long for another system slows down other runs. Measures the time from the response
// to a webhook until its run of two steps has succeeded: first without other load, then beside such a step of the same
// organization.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { postWebhook, quantile, signUp, timeRuns } from './backlog.mjs';
import { connect, makeDatabase } from './databases.mjs';
import { start } from './processes.mjs';

const MOST_ROUNDS = 3;
const PER_SECOND = 20;
/** The longest time that a step may take. */
const STEP_SECONDS = 300;
const EMAIL = 'someone@example.com';

const time = ({ client, web, organizationId, quickId }, seconds) =>
  timeRuns(client, web, { organizationId, workflowId: quickId, perSecond: PER_SECOND, seconds });

/** Returns the milliseconds of all rounds, alone and beside the slow step. */
export async function measure({ databaseUrl, env }, { rounds, smoke }) {
  const seconds = smoke ? 1 : 20;
  const few = smoke ? 1 : Math.min(rounds, MOST_ROUNDS);
  const url = await makeDatabase(databaseUrl, 'slow_step');
  const client = await connect(url);
  const other = await SilentServer.start();
  const service = await start('contestants/switchboard.mjs', [], {
    ...env,
    DATABASE_URL: url,
    OUTBOUND_ALLOW: `127.0.0.1:${other.port}`,
  });
  try {
    const place = await prepare(client, new URL(service.url).origin, other);
    await time(place, smoke ? 1 : 5);
    const times = { alone: [], beside: [] };
    for (let round = 1; round <= few; round += 1) {
      times.alone.push(...(await time(place, seconds)));
      await postWebhook(place.web, place.slowId, {});
      await other.called(round);
      times.beside.push(...(await time(place, seconds)));
      if (other.open !== 1) throw new Error('The slow step did not last as long as the round.');
      other.answer();
      await untilEnded(client);
      if (!smoke) console.log(`Round ${round} of ${few} beside the slow step is done.`);
    }
    const show = (values) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });
    const { alone, beside } = times;
    return {
      'slow-step': {
        rounds: few,
        seconds,
        perSecond: PER_SECOND,
        alone: show(alone),
        beside: show(beside),
      },
    };
  } finally {
    other.stop();
    await client.end();
    await service.stop();
  }
}

/** Accepts requests, and answers them only when `answer` is called. */
class SilentServer {
  #waiting = new Set();
  #calls = 0;
  #server = createServer((_request, response) => {
    this.#calls += 1;
    this.#waiting.add(response);
    response.on('close', () => this.#waiting.delete(response));
  });

  static async start() {
    const silent = new SilentServer();
    silent.#server.listen(0, '127.0.0.1');
    await once(silent.#server, 'listening');
    return silent;
  }

  get port() {
    return this.#server.address().port;
  }

  get open() {
    return this.#waiting.size;
  }

  /** Resolves when `count` requests have arrived. */
  async called(count) {
    while (this.#calls < count) await sleep(10);
  }

  answer() {
    for (const response of this.#waiting) response.end('{}');
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function prepare(client, web, other) {
  const { organizationId, call } = await signUp(web);
  await call('create_contact', { email: EMAIL });
  const create = async (name, steps) =>
    (await call('create_workflow', { name, trigger: { type: 'webhook' }, steps })).workflow.id;
  const quickId = await create('Two steps', [
    { id: 'person', tool: 'get_contact', arguments: { email: EMAIL } },
    {
      id: 'store',
      tool: 'send_message',
      arguments: {
        contact_id: '{{ person.id }}',
        body: 'Hello {{ trigger.payload.number }}',
        subject: 'Hello',
        // The message is stored but not delivered, so no run waits for a row of another run.
        scheduled_at: new Date(Date.now() + 300 * 86_400_000).toISOString(),
      },
    },
  ]);
  const slowId = await create('Slow step', [
    {
      id: 'ask',
      tool: 'http_request',
      arguments: { url: `http://127.0.0.1:${other.port}/` },
      timeout: STEP_SECONDS,
    },
  ]);
  return { client, web, organizationId, quickId, slowId };
}

async function untilEnded(client) {
  for (;;) {
    const { rows } = await client.query(
      `select from workflow_runs where finished_at is null limit 1`,
    );
    if (rows.length === 0) return;
    await sleep(50);
  }
}
