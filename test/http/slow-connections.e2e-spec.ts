import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { rawRequest } from './raw-request.js';

// The server of this file gives a client this long. By default, Node.js looks for slow clients every 30 s.
const SHORT_MS = 1000;
const MOST_SECONDS = 20;

describe('a slow client', () => {
  let switchboard: Switchboard;
  let server: Server;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    server = switchboard.app.getHttpServer();
  });
  afterAll(() => switchboard.close());

  it('has 10 s for its headers and 30 s for the whole request', () => {
    expect(server.headersTimeout).toBe(10_000);
    expect(server.requestTimeout).toBe(30_000);
  });

  it('is disconnected soon after its time limit, whatever it sends', async () => {
    Object.assign(server, { headersTimeout: SHORT_MS, requestTimeout: SHORT_MS });
    const head = 'POST /api/auth/sign-in HTTP/1.1\r\nHost: localhost\r\n';
    const slowly = (text: string) => (socket: Socket) => {
      const timer = setInterval(() => socket.write(text), 100);
      socket.on('close', () => clearInterval(timer));
    };
    const answers = await Promise.all([
      rawRequest(switchboard.url, ''),
      rawRequest(switchboard.url, head, slowly('X-A: 1\r\n')),
      rawRequest(
        switchboard.url,
        `${head}Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n`,
        slowly(' '),
      ),
    ]);
    for (const { text, seconds } of answers) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(seconds).toBeGreaterThan(0.9);
      expect(seconds).toBeLessThan(MOST_SECONDS);
    }
  });
});
