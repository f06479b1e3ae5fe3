// One measurement, in a process of its own: reads what to send from standard input, prints what came of it.
//   {"url", "requests": [{"headers", "body"}], "expected": [text], "connections"} and either "seconds" or "amount", a
//   number of requests
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';

const { url, requests, expected, connections, seconds, amount } = await json(process.stdin);
const one = requests.length === 1;
// The text of an answer without what is not ASCII: autocannon decodes each piece that arrives by itself, and breaks
// characters that lie across two of them.
const plain = (text) => text.replace(/[^\0-\x7f]+/g, '');
const right = new Set(expected);
const rightPlain = new Set(expected.map(plain));
const result = await autocannon({
  url,
  method: 'POST',
  connections,
  ...(one
    ? requests[0]
    : { requests: requests.map((request) => ({ method: 'POST', ...request })) }),
  ...(amount ? { amount } : { duration: seconds }),
  // It looks for the end as often as it takes samples: once a second, unless it is told otherwise.
  sampleInt: 50,
  verifyBody: isRight,
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

// Every answer is compared with the one that was checked before: same id, so same bytes. The ids of those that take
// turns differ.
function isRight(body) {
  if (one ? body === expected[0] : right.has(body)) return true;
  return body.includes('\uFFFD') && rightPlain.has(plain(body));
}
