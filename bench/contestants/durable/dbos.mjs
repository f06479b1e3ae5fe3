// Runs DBOS Transact. The webhook starts a workflow of two steps, which runs in the same process. The response waits
// until the workflow is stored. With `accept`, the workflow is stored in a queue without workers.
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
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

const systemDatabaseUrl = process.env.DATABASE_URL;
const pool = openPool();
const order = DBOS.registerWorkflow(
  async (payload) => {
    const contact = await DBOS.runStep(() => lookUp(pool, payload.email), { name: 'look_up' });
    const { workflowID } = DBOS;
    const message = messageOf(contact.first_name, payload.order);
    await DBOS.runStep(() => store(pool, workflowID, contact, message), { name: 'store' });
  },
  { name: 'order' },
);
DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl,
  systemDatabasePoolSize: POOL_SIZE,
  runAdminServer: false,
  logLevel: 'error',
});
await DBOS.launch();
const client = onlyAccepts ? await DBOSClient.create({ systemDatabaseUrl }) : undefined;
const url = await serveWebhooks(async (payload) => {
  const handle = client
    ? await client.enqueue({ workflowName: 'order', queueName: 'nobody' }, payload)
    : await DBOS.startWorkflow(order)(payload);
  return handle.workflowID;
});
announce({ url });
