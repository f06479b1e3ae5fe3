import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { rawRequest } from './raw-request.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const FORM_HEAD =
  '--X\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nemail\n';

const host = (): string => new URL(switchboard.url).host;

function chunked(path: string, body: string, size: number, headers = ''): string {
  const chunks = body.match(new RegExp(`.{1,${size}}`, 'g'))!;
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`;
  const encoded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  return `${head}${encoded}0\r\n\r\n`;
}

function ping(characters: number): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'ping',
    params: { filler: 'x'.repeat(characters) },
  });
}

describe('a body in chunks', () => {
  it.each([
    '/api/mcp',
    '/api/webhooks/workflow/',
    '/api/auth/sign-in',
    '/api/tools/create_contact',
  ])('is refused with thousands of small chunks, and the connection ends: %s', async (route) => {
    const path = route.endsWith('/') ? `${route}${(await createWorkflow(acme, [])).id}` : route;
    const headers = route === '/api/mcp' ? `Authorization: Bearer ${acme.key}\r\n` : acmeCookie();
    const { text } = await rawRequest(
      switchboard.url,
      `${chunked(path, ping(3000), 1, headers)}GET /health/live HTTP/1.1\r\nHost: ${host()}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('too many small chunks');
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it.each([
    ['/api/files', 'text/plain', ''],
    ['/api/files', 'multipart/form-data; boundary=X', FORM_HEAD],
    ['/api/files', 'multipart/form-data; boundary=X', ''],
    ['/api/imports', 'text/csv', ''],
    ['/api/imports', 'multipart/form-data; boundary=X', FORM_HEAD],
  ])('is refused as an upload, and nothing is stored: %s %s', async (path, type, begin) => {
    const first = begin && `${begin.length.toString(16)}\r\n${begin}\r\n`;
    const { text } = await rawRequest(
      switchboard.url,
      `POST ${path} HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${acme.key}\r\n` +
        `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${first}${'1\r\na\r\n'.repeat(3000)}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('too many small chunks');
    const rows = await switchboard.ownerQuery(
      'select id from files where organization_id = $1 union all select id from imports where organization_id = $1',
      [acme.id],
    );
    expect(rows).toEqual([]);
  });

  it.each([
    'POST /api/nothing',
    'GET /health/live',
    'POST /api/mcp',
    'POST /api/files',
    'POST /api/webhooks/workflow/nothing',
  ])('ends the connection when the service does not read this body: %s', async (route) => {
    const next = `GET /health/live HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`;
    const { text } = await rawRequest(
      switchboard.url,
      `${route} HTTP/1.1\r\nHost: ${host()}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      (socket) => {
        // Sends the chunks after the response. By default, Node.js would discard them and serve the next request.
        socket.once('data', () => socket.write(`${'1\r\na\r\n'.repeat(3000)}0\r\n\r\n${next}`));
      },
    );
    expect(text).toMatch(/^HTTP\/1\.1 (200|401|404) /);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('leaves the connection usable when the service does not read this body and the chunks are large', async () => {
    const { text } = await rawRequest(
      switchboard.url,
      `${chunked('/api/nothing', 'x'.repeat(300_000), 1000)}GET /health/live HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 (404|200) /g)).toEqual(['HTTP/1.1 404 ', 'HTTP/1.1 200 ']);
  });

  it.each([
    [1, 500],
    [32, 60_000],
    [1000, 900_000],
  ])('is accepted in chunks of %i bytes', async (size, characters) => {
    const headers = `Authorization: Bearer ${acme.key}\r\nConnection: close\r\n`;
    const { text } = await rawRequest(
      switchboard.url,
      chunked('/api/mcp', ping(characters), size, headers),
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a connection', () => {
  const request = (index: number, more = ''): string =>
    `GET /health/live?${index} HTTP/1.1\r\nHost: ${host()}\r\n${more}\r\n`;

  it('gets the responses to 16 requests that follow the first one immediately', async () => {
    const requests = Array.from({ length: 17 }, (_, index) =>
      request(index, index === 16 ? 'Connection: close\r\n' : ''),
    );
    const { text } = await rawRequest(switchboard.url, requests.join(''));
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(17);
  });

  it('is closed with status 417 after a request with an unknown Expect header', async () => {
    const { text } = await rawRequest(
      switchboard.url,
      `POST /api/mcp HTTP/1.1\r\nHost: ${host()}\r\nExpect: foo\r\nContent-Length: 100000\r\n\r\n`,
      (socket) => socket.once('data', () => socket.end()),
    );
    const [head] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 417 /);
    expect(head!.toLowerCase()).toContain('connection: close');
  });

  it('is closed when more than 16 requests follow the first one, and the further requests are not served', async () => {
    let served = 0;
    const server = switchboard.app.getHttpServer();
    server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.on('finish', () => (served += 1));
    });
    const requests = Array.from({ length: 1000 }, (_, index) => request(index));
    await rawRequest(switchboard.url, requests.join(''));
    expect(served).toBeLessThanOrEqual(17);
  });
});

function acmeCookie(): string {
  return `Cookie: ${acme.cookie}\r\nOrigin: ${switchboard.url}\r\n`;
}
