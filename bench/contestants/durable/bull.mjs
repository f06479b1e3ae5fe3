// Runs Bull on Redis without PostgreSQL. Each of the two steps is a job. Jobs that Redis loses are lost.
import { randomUUID } from 'node:crypto';
import Queue from 'bull';
import { messageOf } from '../../webhooks.mjs';
import { announce } from '../serve.mjs';
import {
  lookUp,
  onlyAccepts,
  openPool,
  POOL_SIZE,
  serveWebhooks,
  store,
} from './webhook-server.mjs';

const pool = openPool();
const queue = new Queue(onlyAccepts ? 'accept' : 'run', process.env.REDIS_URL, {
  defaultJobOptions: { removeOnComplete: true },
});
await queue.isReady();
if (!onlyAccepts) {
  void queue.process('look_up', POOL_SIZE, async ({ data: { runId, payload } }) => {
    const contact = await lookUp(pool, payload.email);
    await queue.add('store', { runId, payload, contact });
  });
  void queue.process('store', POOL_SIZE, async ({ data: { runId, payload, contact } }) => {
    await store(pool, runId, contact, messageOf(contact.first_name, payload.order));
  });
}
const url = await serveWebhooks(async (payload) => {
  const runId = randomUUID();
  await queue.add('look_up', { runId, payload });
  return runId;
});
announce({ url });
