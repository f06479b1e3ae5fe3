// Sends requests for e-mails from a separate process. Reads a plan from standard input and prints the result.
//   {"url", "key", "first", "amount", "connections"}; with a key it calls send_message of Switchboard
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';
import { mailRequestOf } from './mails.mjs';

const { url, key, first, amount, connections } = await json(process.stdin);
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
      setupRequest: (request) => ({ ...request, method: 'POST', ...mailRequestOf(order++, key) }),
    },
  ],
});
process.stdout.write(
  JSON.stringify({ began, wrong: result.non2xx + result.errors + result.timeouts }),
);
