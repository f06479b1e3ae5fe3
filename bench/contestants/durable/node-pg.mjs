// The limit: node:http and pg alone. One insert for each webhook, answered once that is committed.
import { randomUUID } from 'node:crypto';
import { announce } from '../serve.mjs';
import { openPool, serveWebhooks } from './webhook-server.mjs';

const pool = openPool();
const url = await serveWebhooks(async (_payload, bytes) => {
  const id = randomUUID();
  await pool.query({
    name: 'accept',
    text: 'insert into runs (id, payload) values ($1, $2)',
    values: [id, bytes],
  });
  return id;
});
announce({ url });
