// Restate: its server stores the webhook and calls the handler of two steps, which runs in this process. The response
// waits until the server has stored the invocation.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEndpointHandler, service } from '@restatedev/restate-sdk';
import { createServer as createHttp2Server } from 'node:http2';
import { announce } from '../contestants/serve.mjs';
import { lookUp, openPool, serveWebhooks, store } from '../contestants/durable/webhook-server.mjs';
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
const endpoint = createHttp2Server(
  createEndpointHandler({ services: [order], logger: () => undefined }),
);
await new Promise((resolve) => endpoint.listen(0, '127.0.0.1', resolve));

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

/** Tells the server the address of the handler, as soon as it listens. */
async function register() {
  const uri = `http://127.0.0.1:${endpoint.address().port}`;
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

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
