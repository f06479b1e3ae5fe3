import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { rawRequest } from './raw-request.js';

describe('the Host header of a request', () => {
  let switchboard: RunningSwitchboard;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
  });

  const get = (path: string, ...hosts: string[]) =>
    rawRequest(
      switchboard.url,
      `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `${host}\r\n`).join('')}Connection: close\r\n\r\n`,
    );

  it.each([
    ['different', ['Host: localhost', 'Host: evil.example']],
    ['the same', ['Host: localhost', 'Host: localhost']],
    ['in another case', ['Host: localhost', 'hOST: localhost']],
    ['one of them empty', ['Host: localhost', 'Host:']],
    ['far apart', ['Host: localhost', 'X-A: 1', 'X-B: 2', 'host: evil.example']],
  ])('is refused when there are two: %s', async (_what, hosts) => {
    for (const path of ['/health/live', '/api/mcp', '/api/webhooks/workflow/x', '/nothing']) {
      const { text } = await get(path, ...hosts);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).toContain('"code":"invalid_request"');
      expect(text).toMatch(/cache-control: no-store/i);
    }
  });

  it('is accepted when it occurs once, even if another header has the value host', async () => {
    const { text } = await get('/health/live', 'Host: localhost', 'X-A: host', 'X-Host: a');
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is required', async () => {
    expect((await get('/health/live')).text).toMatch(/^HTTP\/1\.1 400 /);
  });
});
