import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checker.mjs';
import { injectFaults, planFaults } from './faults.mjs';
import { freePort, Node } from './nodes.mjs';
import { checkImports, countRunning, planImports, startImports } from './imports.mjs';
import { Random } from './random.mjs';
import { planOrders, sendAll } from './sender.mjs';

const WEBS = 2;
const WORKERS = 3;
/** A time far longer than any recovery, in milliseconds. Runs that have not ended by then never end. */
const SETTLE_MS = 180_000;

const STEPS = [
  { id: 'effect', tool: 'sink_effect', arguments: { subject: '{{ trigger.payload.order }}' } },
  { id: 'later', if: 'trigger.payload.wait', then: [{ id: 'pause', wait: { seconds: 2 } }] },
  { id: 'call', tool: 'sink_call', arguments: { subject: '{{ trigger.payload.order }}' } },
  {
    id: 'mailed',
    if: 'trigger.payload.mail',
    then: [
      {
        id: 'person',
        tool: 'create_contact',
        arguments: { email: '{{ trigger.payload.email }}' },
      },
      {
        id: 'mail',
        tool: 'send_message',
        arguments: {
          email: '{{ trigger.payload.email }}',
          subject: 'Your order',
          body: 'Thanks.',
          on_uncertain: '{{ trigger.payload.on_uncertain }}',
        },
      },
    ],
  },
];

/** Sends `count` webhooks while faults happen, waits until all work is done, and checks the results. */
export async function playRound(driver, { postgres, redis, outside, undo, count, rate, seed }) {
  const random = new Random(seed);
  const tally = {
    faults: {},
    begun: 0,
    waitingFaults: 0,
    sent: 0,
    refused: {},
    unanswered: 0,
    givenUp: 0,
    failedStarts: 0,
    unexpectedExits: [],
    stops: [],
  };
  const env = {
    DATABASE_URL: postgres.url,
    SIGN_UP: 'open',
    NEW_ORGANIZATION_MESSAGES: '100000000',
    NEW_ORGANIZATION_CONTACTS: '100000000',
    SMTP_URL: outside.smtpUrl,
    SINK_URL: outside.url,
    LOG_LEVEL: 'error',
    ...(redis && { REDIS_URL: redis.url }),
  };
  const nodes = [];
  for (let index = 0; index < WEBS + WORKERS; index += 1) {
    nodes.push(new Node(index < WEBS ? 'web' : 'worker', await freePort(), env, tally));
  }
  const [webs, workers] = [nodes.slice(0, WEBS), nodes.slice(WEBS)];
  try {
    undo.push(() => Promise.all(nodes.map((node) => node.retire())));
    for (const node of nodes) node.start();
    for (const node of nodes) await node.untilReady();
    const { id: workflowId, secret, cookie } = await createWorkflow(webs[0].url, driver);
    const orders = planOrders(random, count, driver.toLowerCase());
    const imports = planImports(driver.toLowerCase());
    const plan = planFaults(random, count, redis !== undefined);
    const began = Date.now();
    const path = `/api/webhooks/workflow/${workflowId}`;
    await Promise.all([
      sendAll(orders, { webs, path, secret, perSecond: rate, tally }),
      startImports(imports, { webs, cookie, seconds: count / rate }),
      injectFaults(plan, { webs, workers, postgres, redis, tally }),
    ]);
    console.log(
      `${driver}: all webhooks were sent after ${Math.round((Date.now() - began) / 1000)} s`,
    );
    await settle(postgres, workflowId, imports);
    tally.parked = await retryParked(postgres, workflowId, webs[0], cookie);
    if (tally.parked > 0) await settle(postgres, workflowId, imports);
    const seconds = (Date.now() - began) / 1000;
    const ledger = await (await fetch(`${outside.url}/ledger`)).json();
    const { violations, figures } = await check({ orders, workflowId, postgres, ledger });
    violations.push(...(await checkImports(postgres, imports)));
    figures.importedRows = imports.reduce((sum, { wanted }) => sum + wanted.created, 0);
    return { driver, count, seconds, tally, violations, figures, recovery: await recovery() };

    async function recovery() {
      const [row] = await postgres.query(
        `select count(*)::integer as count, max(seconds) as most,
           percentile_cont(0.5) within group (order by seconds) as median,
           percentile_cont(0.99) within group (order by seconds) as p99
         from chaos.takeovers where workflow_id = $1`,
        [workflowId],
      );
      return row;
    }
  } finally {
    await Promise.all(nodes.map((node) => node.retire()));
  }
}

/** Waits until every run, message and import has ended. Gives up after `SETTLE_MS`. */
async function settle(postgres, workflowId, imports) {
  const giveUpAt = Date.now() + SETTLE_MS;
  while (Date.now() < giveUpAt) {
    const [{ left }] = await postgres.query(
      `select (select count(*) from workflow_runs
         where workflow_id = $1 and status in ('queued', 'running', 'waiting'))::integer
       + (select count(*) from messages m join workflow_runs r
            on r.organization_id = m.organization_id and r.id = m.run_id
          where r.workflow_id = $1 and m.status in ('scheduled', 'queued', 'sending'))::integer as left`,
      [workflowId],
    );
    if (left + (await countRunning(postgres, imports)) === 0) return;
    await sleep(500);
  }
}

/**
 * Retries parked runs, as their owners would, and returns their number. By chance, three workers can crash with the same
 * run, which parks it. After the retry it must succeed like every other run.
 */
async function retryParked(postgres, workflowId, web, cookie) {
  const parked = await postgres.query(
    `select id from workflow_runs where workflow_id = $1 and status = 'failed' and reason = 'poison'`,
    [workflowId],
  );
  for (const { id } of parked) {
    const response = await fetchWithRetry(`${web.url}/api/tools/retry_run`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: web.url, Cookie: cookie },
      body: JSON.stringify({ run_id: id }),
    });
    if (!response.ok) throw new Error(`Retrying ${id} failed: ${await response.text()}`);
  }
  return parked.length;
}

/** Sends a request, and retries it for 20 s, because the last fault may have killed the process. */
async function fetchWithRetry(url, options) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url, options);
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(200);
    }
  }
}

async function createWorkflow(url, driver) {
  const post = (path, body, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url, ...headers },
      body: JSON.stringify(body),
    });
  const signedUp = await post('/api/auth/sign-up', {
    email: `${driver.toLowerCase()}@example.com`,
    password: 'correct horse battery staple',
    organization_name: driver,
  });
  if (!signedUp.ok) throw new Error(`Signing up failed: ${await signedUp.text()}`);
  const [cookie] = signedUp.headers.getSetCookie()[0].split(';');
  const workflow = { name: 'Orders', trigger: { type: 'webhook', secret: true }, steps: STEPS };
  const created = await post('/api/tools/create_workflow', workflow, { Cookie: cookie });
  const body = await created.json();
  if (!created.ok) throw new Error(`Creating the workflow failed: ${JSON.stringify(body)}`);
  return { id: body.workflow.id, secret: body.secret, cookie };
}
