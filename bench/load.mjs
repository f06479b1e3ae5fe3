// Makes one measurement in a separate process. Reads a plan from standard input and prints the result.
//   {"url", "requests": [{"headers", "body"}], "expected": [text], "connections"} and either "seconds" or "amount", a
//   number of requests
import autocannon from 'autocannon';
import { json } from 'node:stream/consumers';

const { url, requests, expected, connections, seconds, amount } = await json(process.stdin);
const one = requests.length === 1;
// Removes characters that are not ASCII. autocannon decodes each chunk separately, which breaks characters that span two
// chunks.
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
  // autocannon checks for the end at each sample, which is once a second by default.
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

// Compares every response with the expected response of the request with the same id. Different requests of a plan have
// different ids.
function isRight(body) {
  if (one ? body === expected[0] : right.has(body)) return true;
  return body.includes('\uFFFD') && rightPlain.has(plain(body));
}
