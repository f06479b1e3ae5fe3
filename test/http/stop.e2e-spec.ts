import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

it('a stop closes connections without a request, and waits for the end of requests that have begun', async () => {
  const switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  const { hostname, port } = new URL(switchboard.url);
  const unused = connect(Number(port), hostname);
  const used = connect(Number(port), hostname);
  let answer = '';
  used.on('data', (data) => (answer += data.toString()));
  await Promise.all([once(unused, 'connect'), once(used, 'connect')]);
  const body = JSON.stringify({ email: 'a@example.com', password: 'a long password' });
  used.write(
    `POST /api/auth/sign-in HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  await waitFor(async () => (await fetch(`${switchboard.url}/health/ready`)).ok);
  const stopped = switchboard.close();
  unused.resume();
  await once(unused, 'close');
  // If the time limit of the stop had closed `unused`, it would have closed `used` too.
  expect(answer).toBe('');
  expect(used.destroyed).toBe(false);
  used.write(body.slice(10));
  await once(used, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  await stopped;
});
