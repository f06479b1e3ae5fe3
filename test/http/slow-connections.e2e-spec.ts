import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { BodyTimes } from '../../src/http/body-times.js';
import { createOrganization } from '../support/organization.js';
import { itSlow } from '../support/thorough.js';
import { rawRequest } from './raw-request.js';

// The time limit of a client in these tests. By default, Node.js looks for slow clients only every 30 s.
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

  it('has 10 s for its headers and 30 s for the body', () => {
    expect(server.headersTimeout).toBe(10_000);
    expect(BodyTimes.of(server)).toMatchObject({ requestMs: 30_000, idleMs: 30_000 });
  });

  it('is disconnected soon after its time limit, no matter what it sends', async () => {
    server.headersTimeout = SHORT_MS;
    BodyTimes.of(server).requestMs = SHORT_MS;
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

  it('gets no text in an earlier response when a later request on the connection takes too long', async () => {
    const acme = await createOrganization(switchboard);
    BodyTimes.of(server).requestMs = SHORT_MS;
    const stream = `GET /api/changes HTTP/1.1\r\nHost: localhost\r\nCookie: ${acme.cookie}\r\n\r\n`;
    const incomplete =
      'POST /api/auth/sign-in HTTP/1.1\r\nHost: localhost\r\n' +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    const { text } = await rawRequest(switchboard.url, `${stream}${incomplete}`);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).not.toContain('408');
  });

  itSlow(
    'may upload a file for longer, but is disconnected when no more bytes arrive',
    async () => {
      const acme = await createOrganization(switchboard);
      Object.assign(BodyTimes.of(server), { requestMs: SHORT_MS, idleMs: 3 * SHORT_MS });
      const head =
        `POST /api/imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${acme.key}\r\n` +
        'Content-Type: text/csv\r\nContent-Length: 500\r\n\r\nemail\n';
      const inTenPieces = (socket: Socket): void => {
        let left = 10;
        const timer = setInterval(() => {
          left -= 1;
          socket.write(left > 0 ? 'a@example.com\n' : `${' '.repeat(367)}\n`);
          if (left === 0) clearInterval(timer);
        }, 250);
        socket.on('close', () => clearInterval(timer));
      };
      const [arrives, stops] = await Promise.all([
        rawRequest(
          switchboard.url,
          head.replace('HTTP/1.1\r\n', 'HTTP/1.1\r\nConnection: close\r\n'),
          inTenPieces,
        ),
        rawRequest(switchboard.url, head),
      ]);
      expect(arrives.text).toMatch(/^HTTP\/1\.1 201 /);
      expect(arrives.seconds).toBeGreaterThan(2);
      expect(stops.text).toMatch(/^HTTP\/1\.1 408 /);
      const stored = await waitFor(async () => {
        const rows = await switchboard.ownerQuery(
          'select status from imports where organization_id = $1',
          [acme.id],
        );
        return rows.length === 1 ? rows : undefined;
      });
      expect(stored).toEqual([{ status: 'uploaded' }]);
    },
  );
});
