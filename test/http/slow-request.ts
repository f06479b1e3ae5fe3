import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than the time for which the service trusts a look-up of a key or a session. */
const OUTDATED_MS = 150;

interface SlowRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends the headers and the first half of a body, runs `between`, and then sends the rest. Returns the status and the
 * text of the response. `between` runs after the service has looked up the key or the session of the request. The rest
 * of the body arrives so late that the service must look it up again.
 */
export async function sendSlowly(
  { url, headers, body }: SlowRequest,
  between: () => Promise<unknown>,
): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(body);
  const half = Math.floor(bytes.length / 2);
  const sent = request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers, 'Content-Length': bytes.length },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  // Without this handler, an error during `between` would end the process of the tests.
  answered.catch(() => undefined);
  sent.write(bytes.subarray(0, half));
  await sleep(OUTDATED_MS);
  await between();
  await sleep(OUTDATED_MS);
  sent.end(bytes.subarray(half));
  const response = await answered;
  response.setEncoding('utf8');
  let text = '';
  for await (const part of response as AsyncIterable<string>) text += part;
  return { status: response.statusCode!, text };
}
