import { Controller, Get, Module, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endUnread } from '../../src/http/unread-responses.js';
import { BearerGuard } from '../../src/keys/bearer.guard.js';
import { KeysModule } from '../../src/keys/keys.module.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const MIB = 1024 * 1024;
const STALLED_BYTES = 8 * MIB;
const READ_BYTES = 16 * MIB;
const STALLED = 5;
/** The limit of unread bytes. The stalled responses reach it, and the next response exceeds it. */
const MOST_BYTES = STALLED * STALLED_BYTES;
const LONG_MS = 1_000_000;

@Controller('large')
class LargeController {
  @Get('open')
  open(@Res() response: Response): void {
    response.end(Buffer.alloc(STALLED_BYTES));
  }

  @Get('stalled')
  @UseGuards(BearerGuard)
  stalled(@Res() response: Response): void {
    response.end(Buffer.alloc(STALLED_BYTES));
  }

  @Get('read')
  @UseGuards(BearerGuard)
  read(@Res() response: Response): void {
    response.end(Buffer.alloc(READ_BYTES));
  }
}

@Module({ imports: [KeysModule], controllers: [LargeController] })
class LargeModule {}

describe('above the limit of unread bytes, a client that reads a large response gets all of it', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;
  let server: Server;
  const accepted = new Map<number, Socket>();

  beforeAll(async () => {
    switchboard = await startSwitchboard({ modules: [LargeModule] });
    acme = await createOrganization(switchboard);
    globex = await createOrganization(switchboard);
    const express = switchboard.app.getHttpAdapter().getInstance();
    // This server has a smaller limit than the 256 MiB of the service, so that the test needs less memory.
    server = createServer(endUnread(express, LONG_MS, MOST_BYTES));
    server.on('connection', (socket) => accepted.set(socket.remotePort!, socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await switchboard.close();
  });

  /** Opens a connection, sends a request, and reads nothing. Returns both ends of the connection. */
  async function send(path: string, key?: string) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.pause();
    await once(client, 'connect');
    const socket = await waitFor(() => accepted.get(client.localPort!));
    const credential = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\n`);
    return { client, socket };
  }

  /** Sends a request, and waits until the service has unread bytes of the response in memory. */
  async function stall(path: string, key?: string) {
    const stalled = await send(path, key);
    await waitFor(() => stalled.socket.writableLength > 0);
    return stalled;
  }

  async function readAll({ client }: { client: Socket }): Promise<number> {
    let bytes = 0;
    client.on('data', (data) => {
      bytes += data.length;
      if (bytes > READ_BYTES) client.destroy();
    });
    client.resume();
    await once(client, 'close');
    return bytes;
  }

  it.each([
    ['strangers', '/large/open', () => undefined],
    ['clients of another organization', '/large/stalled', () => acme.key],
  ])('while %s read nothing, and the first of these loses its connection', async (_, path, key) => {
    const stalled: Awaited<ReturnType<typeof stall>>[] = [];
    for (let count = 0; count < STALLED; count += 1) stalled.push(await stall(path, key()));
    try {
      expect(await readAll(await send('/large/read', globex.key))).toBeGreaterThan(READ_BYTES);
      expect(stalled[0]!.socket.destroyed).toBe(true);
      expect(stalled.at(-1)!.socket.destroyed).toBe(false);
    } finally {
      for (const { client } of stalled) client.destroy();
      await waitFor(() => stalled.every(({ socket }) => socket.destroyed));
    }
  });
});
