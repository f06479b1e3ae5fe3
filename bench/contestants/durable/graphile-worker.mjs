// Runs graphile-worker, a queue in PostgreSQL. Each of the two steps is a job, so that the first is not repeated when
// the second fails.
import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { messageOf } from '../../webhooks.mjs';
import { announce } from '../serve.mjs';
import { lookUp, onlyAccepts, POOL_SIZE, serveWebhooks, store } from './webhook-server.mjs';

const shared = {
  connectionString: process.env.DATABASE_URL,
  maxPoolSize: POOL_SIZE,
  logger: new Logger(() => () => undefined),
};
const taskList = { look_up: lookUpStep, store: storeStep };
const jobs = onlyAccepts
  ? await makeWorkerUtils(shared)
  : await run({ ...shared, concurrency: POOL_SIZE, noHandleSignals: true, taskList });
if (onlyAccepts) await jobs.migrate();
const url = await serveWebhooks(async (payload) => {
  const runId = randomUUID();
  await jobs.addJob('look_up', { runId, payload });
  return runId;
});
announce({ url });

async function lookUpStep({ runId, payload }, { addJob, withPgClient }) {
  const contact = await withPgClient((db) => lookUp(db, payload.email));
  await addJob('store', { runId, payload, contact });
}

async function storeStep({ runId, payload, contact }, { withPgClient }) {
  await withPgClient((db) =>
    store(db, runId, contact, messageOf(contact.first_name, payload.order)),
  );
}
