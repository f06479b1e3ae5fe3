import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { answerOf, errorOf } from './support/answer.js';

const MIB = 1024 * 1024;
const REALM = 'Bearer realm="switchboard"';
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

/** Sends a request with exactly these headers. */
function send(method: string, headers: Record<string, string>, body?: string): Promise<Response> {
  return fetch(`${switchboard.url}/api/mcp`, { method, headers, body });
}
const json = () => ({
  Authorization: `Bearer ${acme.key}`,
  'Content-Type': 'application/json',
});

describe('the key', () => {
  it.each<[string, (key: string, cookie: string) => Record<string, string>, string]>([
    ['none', () => ({}), REALM],
    ['only a session', (_key, cookie) => ({ Cookie: cookie }), REALM],
    [
      'a wrong key',
      (key) => ({ Authorization: `Bearer ${key.slice(1)}` }),
      `${REALM}, error="invalid_token"`,
    ],
    [
      'another scheme',
      (key) => ({ Authorization: `Basic ${key}` }),
      `${REALM}, error="invalid_token"`,
    ],
  ])('is required: %s', async (_case, headersOf, challenge) => {
    const headers = { ...headersOf(acme.key, acme.cookie), 'Content-Type': 'application/json' };
    const answer = await answerOf(send('POST', headers, PING));
    expect(answer).toMatchObject({ status: 401, body: errorOf(1401, null) });
    expect(answer.headers.get('www-authenticate')).toMatch(challenge);
    if (challenge === REALM) expect(answer.headers.get('www-authenticate')).toBe(REALM);
  });

  it('is refused after another key was created', async () => {
    const other = await createOrganization(switchboard);
    await other.fetch('/api/mcp/keys', { method: 'POST' });
    expect(await answerOf(other.rpc(PING))).toMatchObject({
      status: 401,
      body: errorOf(1401, null),
    });
  });
});

describe('the order of the checks', () => {
  it.each<[string, string, () => Record<string, string>, string | undefined, number]>([
    ['Origin before the key', 'POST', () => ({ Origin: 'https://evil.example' }), '{', 403],
    ['the key before the method', 'DELETE', () => ({}), undefined, 401],
    [
      'the key before the type and the body',
      'POST',
      () => ({ 'Content-Type': 'text/plain' }),
      '{',
      401,
    ],
    [
      'the method before the type',
      'PUT',
      () => ({ ...json(), 'Content-Type': 'text/plain' }),
      'x',
      405,
    ],
    [
      'the type before the size',
      'POST',
      () => ({ ...json(), 'Content-Type': 'text/plain' }),
      ' '.repeat(MIB + 1),
      415,
    ],
    ['the size before the text', 'POST', json, '{'.repeat(MIB + 1), 413],
  ])('is %s', async (_case, method, headersOf, body, status) => {
    const answer = await answerOf(send(method, headersOf(), body));
    expect(answer).toMatchObject({ status, body: errorOf(1000 + status, null) });
  });
});

describe('Origin and Host', () => {
  it.each(['https://evil.example', 'null', 'http://localhost:1', 'https://127.0.0.1'])(
    'refuses the origin %s',
    async (origin) => {
      const answer = await answerOf(acme.rpc(PING, { Origin: origin }));
      expect(answer).toMatchObject({ status: 403, body: errorOf(1403, null) });
    },
  );

  it('accepts the origin of the service', async () => {
    expect(await answerOf(acme.rpc(PING, { Origin: switchboard.url }))).toMatchObject({
      status: 200,
    });
  });

  it.each([
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost', 200],
    ['127.0.0.1:1', 200],
  ])('responds to the host %s with %i', async (host, status) => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(`${switchboard.url}/api/mcp`, {
        method: 'POST',
        headers: { ...json(), Host: host },
      });
      outgoing.on('response', (response) => resolve(response.resume().statusCode));
      outgoing.on('error', reject).end(PING);
    });
    expect(answer).toBe(status);
  });
});

describe('the HTTP method', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('refuses %s', async (method) => {
    const answer = await answerOf(send(method, json()));
    expect(answer).toMatchObject({ status: 405, body: errorOf(1405, null) });
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it('refuses HEAD', async () => {
    const answer = await answerOf(send('HEAD', json()));
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });
});

describe('Content-Type', () => {
  it.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; profile=x',
  ])('accepts %s', async (type) => {
    expect(await answerOf(acme.rpc(PING, { 'Content-Type': type }))).toMatchObject({ status: 200 });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=latin1',
    'text/plain; x=application/json',
  ])('refuses %s', async (type) => {
    const answer = await answerOf(acme.rpc(PING, { 'Content-Type': type }));
    expect(answer).toMatchObject({ status: 415, body: errorOf(1415, null) });
  });

  it('refuses a compressed body', async () => {
    const answer = await answerOf(acme.rpc(PING, { 'Content-Encoding': 'gzip' }));
    expect(answer).toMatchObject({ status: 415, body: errorOf(1415, null) });
  });
});

describe('the body', () => {
  it('can have a size of one mebibyte', async () => {
    expect(await answerOf(acme.rpc(PING.padEnd(MIB)))).toMatchObject({ status: 200 });
  });

  it('cannot be one byte larger than one mebibyte', async () => {
    const answer = await answerOf(acme.rpc(PING.padEnd(MIB + 1)));
    expect(answer).toMatchObject({ status: 413, body: errorOf(1413, null) });
  });

  it('is refused because of its Content-Length before it arrives', async () => {
    const answer = await exchange([head(`Content-Length: ${MIB + 1}`)]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":1413');
  });

  it('is limited without a Content-Length too, and the connection stays usable', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const answer = await exchange([
      head('Transfer-Encoding: chunked'),
      ...Array.from({ length: 20 }, () => chunk),
      '0\r\n\r\n',
      `${head(`Content-Length: ${PING.length}`, 'Connection: close')}${PING}`,
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('{"jsonrpc":"2.0","id":1,"result":{}}');
  });

  it('can end early without an effect on other requests', async () => {
    expect(await exchange([`${head(`Content-Length: ${PING.length}`)}{`], true)).not.toContain(
      'id',
    );
    expect(await answerOf(acme.rpc(PING))).toMatchObject({ status: 200 });
  });
});

describe('the structure of the body', () => {
  it.each<[string, string]>([
    ['a body that is nested too deeply', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['too many values', JSON.stringify(Array.from({ length: 20_000 }, () => 0))],
    [
      'arguments that are nested too deeply',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noop","arguments":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}}`,
    ],
  ])('refuses %s', async (_case, body) => {
    expect(await answerOf(acme.rpc(body))).toMatchObject({
      status: 400,
      body: errorOf(-32600, null),
    });
  });
});

function head(...headers: string[]): string {
  return [
    'POST /api/mcp HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${acme.key}`,
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n');
}

/**
 * Writes the parts to a new socket, and returns all bytes that the server sent. A request of one part returns when its
 * response is complete.
 */
function exchange(parts: string[], hangUp = false): Promise<string> {
  const { hostname, port } = new URL(switchboard.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
      if (hangUp) socket.end();
    });
    socket.setEncoding('utf8');
    socket.on('data', (data: string) => {
      answer += data;
      if (parts.length === 1 && answer.endsWith('}')) socket.destroy();
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}
