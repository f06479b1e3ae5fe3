// Sends webhooks from a separate process for some seconds, as fast as their runs are executed. Reads a plan from
// standard input and prints the result.
//   {"url", "first", "seconds", "connections", "mostUnfinished", "databaseUrl"}
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from './databases.mjs';
import { webhookOf } from './webhooks.mjs';

const LOOK_EVERY_MS = 200;
/**
 * Every run of every contestant stores one message, so the number of messages equals the number of finished runs.
 * Reading this number from the statistics takes the same time for any number of messages.
 */
const STORED = `select n_tup_ins::integer as count from pg_stat_user_tables where relname = 'messages'`;

const plan = await json(process.stdin);
process.stdout.write(JSON.stringify(await withClient(plan.databaseUrl, (db) => send(plan, db))));

async function send({ url, first, seconds, connections, mostUnfinished }, db) {
  const stored = async () => (await db.query(STORED)).rows[0].count;
  const before = await stored();
  const began = Date.now();
  const endsAt = began + seconds * 1000;
  let sent = 0;
  let done = 0;
  const sendOne = async () => {
    sent += 1;
    const response = await fetch(url, { method: 'POST', ...webhookOf(first + sent - 1) });
    await response.arrayBuffer();
    if (response.status !== 202)
      throw new Error(`A webhook was answered with ${response.status}, not with 202.`);
  };
  const sendAll = async () => {
    while (Date.now() < endsAt) {
      if (sent - done < mostUnfinished) await sendOne();
      else await sleep(LOOK_EVERY_MS / 10);
    }
  };
  const look = async () => {
    while (Date.now() < endsAt) {
      done = (await stored()) - before;
      await sleep(LOOK_EVERY_MS);
    }
  };
  await Promise.all([look(), ...Array.from({ length: connections }, sendAll)]);
  return { began, amount: sent };
}
