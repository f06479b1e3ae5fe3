// Runs Restate. The Restate server stores the webhook and calls a handler of two steps, which runs in this process. The
// response waits until the server has stored the invocation.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEndpointHandler, service } from '@restatedev/restate-sdk';
import { announce, listen } from '../contestants/serve.mjs';
import { lookUp, openPool, serveWebhooks, store } from '../contestants/durable/webhook-server.mjs';
import { freePort } from '../redis.mjs';
import { messageOf } from '../webhooks.mjs';

// The SDK needs this function of Node 22.
Promise.withResolvers ??= () => {
  const resolvers = {};
  resolvers.promise = new Promise((resolve, reject) =>
    Object.assign(resolvers, { resolve, reject }),
  );
  return resolvers;
};

const START_MS = 60_000;

const pool = openPool();
const order = service({
  name: 'order',
  handlers: {
    run: async (context, { runId, payload }) => {
      const contact = await context.run('look_up', () => lookUp(pool, payload.email));
      const message = messageOf(contact.first_name, payload.order);
      await context.run('store', () => store(pool, runId, contact, message));
    },
  },
});
const handlers = createEndpointHandler({ services: [order], logger: () => undefined });
const uri = await listen(createServer(handlers));

const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
const folder = mkdtempSync(join(tmpdir(), 'switchboard-restate-'));
const program = createRequire(import.meta.url).resolve(
  '@restatedev/restate-server-linux-x64/package.json',
);
const server = spawn(join(program, '../bin/restate-server'), ['--base-dir', folder, '--no-logo'], {
  env: {
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(node),
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_LOG_FILTER: 'off',
    DO_NOT_TRACK: '1',
  },
  stdio: 'ignore',
});
process.once('exit', () => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
process.once('SIGTERM', () => process.exit(0));
await register();

const url = await serveWebhooks(async (payload) => {
  const runId = randomUUID();
  const response = await post(`http://127.0.0.1:${ingress}/order/run/send`, { runId, payload });
  if (!response.ok) throw new Error(`Restate answered ${response.status}.`);
  await response.arrayBuffer();
  return runId;
});
announce({ url });

/** Tells the Restate server the address of the handler. Repeats the request until the server listens. */
async function register() {
  const patience = Date.now() + START_MS;
  for (;;) {
    const response = await post(`http://127.0.0.1:${admin}/deployments`, { uri }).catch(
      () => undefined,
    );
    if (response?.ok) return;
    if (Date.now() > patience) throw new Error(`Restate did not start: ${await response?.text()}`);
    await sleep(200);
  }
}

function post(address, body) {
  return fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}
