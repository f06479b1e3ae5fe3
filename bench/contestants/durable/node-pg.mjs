// The limit: node:http and pg alone. One insert for each webhook, answered once that is committed.
import { announce } from '../serve.mjs';
import { insertRun, openPool, serveWebhooks } from './webhook-server.mjs';

const pool = openPool();
announce({ url: await serveWebhooks((_payload, bytes) => insertRun(pool, bytes)) });
