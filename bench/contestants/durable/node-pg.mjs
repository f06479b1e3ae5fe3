// Shows the least possible work: node:http with pg. Each webhook is one INSERT, and the response follows its commit.
import { announce } from '../serve.mjs';
import { insertRun, openPool, serveWebhooks } from './webhook-server.mjs';

const pool = openPool();
announce({ url: await serveWebhooks((_payload, bytes) => insertRun(pool, bytes)) });
