// One measurement, in a process of its own: reads what to send from standard input, prints what came of it.
//   {"url", "requests": [{"headers", "body"}], "expected": [text], "connections"} and either "seconds" or "amount", a
//   number of requests
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';

const { url, requests, expected, connections, seconds, amount } = await json(process.stdin);
const one = requests.length === 1;
// Every answer is compared with the one that was checked before: same id, so same bytes. The ids of those that take
// turns differ.
const right = new Set(expected);
const result = await autocannon({
  url,
  method: 'POST',
  connections,
  ...(one
    ? requests[0]
    : { requests: requests.map((request) => ({ method: 'POST', ...request })) }),
  // It looks for the end of an amount as often as it takes samples: once a second, unless it is told otherwise.
  ...(amount ? { amount, sampleInt: 50 } : { duration: seconds }),
  ...(one ? { expectBody: expected[0] } : { verifyBody: (body) => right.has(body) }),
});
process.stdout.write(
  JSON.stringify({
    answered: result['2xx'],
    wrong: result.non2xx + result.mismatches + result.errors + result.timeouts,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }),
);
