// Webhooks, sent from a process of its own: reads what to send from standard input, prints what came of it.
//   {"url", "first", "amount"} and either "connections": as fast as they are answered, or "perSecond": at that rate
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookOf } from './webhooks.mjs';

const input = await json(process.stdin);
process.stdout.write(JSON.stringify(await (input.perSecond ? paced(input) : closed(input))));

/** Closed loop. `began` is the time of the first request, in milliseconds; `seconds` go to the last answer. */
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
  // autocannon looks only with every sample whether all is answered, and its duration goes to that moment.
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

/** At times that do not depend on the answers. `answers`: id of each run, and when its answer had come. */
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
  if (response.status !== 202) throw new Error(`Status ${response.status}`);
  return [runId, at];
}
