// Sends webhooks from a separate process. Reads a plan from standard input and prints the result.
//   {"url", "first", "amount"} and either "connections" (as fast as responses arrive) or "perSecond" (fixed rate)
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookOf } from './webhooks.mjs';

const input = await json(process.stdin);
process.stdout.write(JSON.stringify(await (input.perSecond ? paced(input) : closed(input))));

/**
 * Sends as fast as responses arrive. `began` is the time of the first request in ms. `seconds` is the time from the
 * first request to the last response.
 */
async function closed({ url, first, amount, connections }) {
  let order = first;
  const began = Date.now();
  const load = autocannon({
    url,
    method: 'POST',
    connections,
    amount,
    sampleInt: 50,
    requests: [
      { setupRequest: (request) => ({ ...request, method: 'POST', ...webhookOf(order++) }) },
    ],
  });
  // autocannon notices the last response only at its next sample, so the duration that it reports is too long.
  let answeredAt = began;
  load.on('response', () => (answeredAt = Date.now()));
  const { non2xx, errors, timeouts, latency, ...result } = await load;
  return {
    began,
    answered: result['2xx'],
    wrong: non2xx + errors + timeouts,
    seconds: (answeredAt - began) / 1000,
    p50: latency.p50,
    p99: latency.p99,
  };
}

/**
 * Sends at a fixed rate, independent of responses. `answers` contains the id of each run and the time of its response.
 */
async function paced({ url, first, amount, perSecond }) {
  const began = Date.now();
  const answers = [];
  const sent = [];
  for (let index = 0; index < amount; index += 1) {
    const wait = began + (index * 1000) / perSecond - Date.now();
    if (wait > 0) await sleep(wait);
    sent.push(send(url, first + index).then((answer) => answers.push(answer)));
  }
  await Promise.all(sent);
  return { began, answers };
}

async function send(url, order) {
  const response = await fetch(url, { method: 'POST', ...webhookOf(order) });
  const { runId } = await response.json();
  const at = Date.now();
  if (response.status !== 202)
    throw new Error(`A webhook was answered with ${response.status}, not with 202.`);
  return [runId, at];
}
