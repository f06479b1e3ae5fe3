import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await startSwitchboard();
});

afterAll(async () => {
  await switchboard?.close();
});

it('the server creates requests and responses with the prototypes of Express, so that Express does not change them', async () => {
  const seen: [IncomingMessage, ServerResponse, unknown, unknown][] = [];
  const server = switchboard.app.getHttpServer();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    seen.push([request, response, Object.getPrototypeOf(request), Object.getPrototypeOf(response)]);
  });
  const { status } = await fetch(`${switchboard.url}/health/live`);
  expect(status).toBe(200);
  const [[request, response, ofRequest, ofResponse]] = seen as [(typeof seen)[number]];
  // Express sets `req` on each response that it processes. So Express has seen this request and kept the prototypes.
  expect(response).toHaveProperty('req', request);
  expect(Object.getPrototypeOf(request)).toBe(ofRequest);
  expect(Object.getPrototypeOf(response)).toBe(ofResponse);
});
