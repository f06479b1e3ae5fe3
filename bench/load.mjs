// One measurement, in a process of its own: reads what to send from standard input, prints what came of it.
//   {"url", "headers", "body", "expected", "connections"} and either "seconds" or "amount", a number of requests
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';

const { url, headers, body, expected, connections, seconds, amount } = await json(process.stdin);
const result = await autocannon({
  url,
  method: 'POST',
  headers,
  body,
  connections,
  ...(amount ? { amount } : { duration: seconds }),
  // Every answer is compared with the one that was checked before: same id, so same bytes.
  expectBody: expected,
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
