// Sends requests for e-mails from a separate process. Reads a plan from standard input and prints the result.
//   {"url", "key", "form", "first", "amount"} and either "connections" (as fast as responses arrive) or "perSecond" (fixed rate)
// When the plan has a key, the requests are calls of `send_message` of Switchboard.
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { mailRequestOf } from './mails.mjs';

const input = await json(process.stdin);
process.stdout.write(JSON.stringify(await (input.perSecond ? paced(input) : closed(input))));

async function closed({ url, key, form, first, amount, connections }) {
  let order = first;
  const began = Date.now();
  const result = await autocannon({
    url,
    method: 'POST',
    connections,
    amount,
    sampleInt: 50,
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          method: 'POST',
          ...mailRequestOf(order++, key, form),
        }),
      },
    ],
  });
  return { began, wrong: result.non2xx + result.errors + result.timeouts };
}

/** Sends at a fixed rate, independent of responses. `acceptedAt` has the time of each response, in the order of e-mails. */
async function paced({ url, key, form, first, amount, perSecond }) {
  const began = Date.now();
  const sent = [];
  for (let index = 0; index < amount; index += 1) {
    const wait = began + (index * 1000) / perSecond - Date.now();
    if (wait > 0) await sleep(wait);
    sent.push(send(url, mailRequestOf(first + index, key, form)));
  }
  return { began, acceptedAt: await Promise.all(sent) };
}

async function send(url, request) {
  const response = await fetch(url, { method: 'POST', ...request });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`A request was answered with ${response.status}.`);
  return Date.now();
}
