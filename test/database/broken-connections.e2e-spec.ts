import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { createTestDatabase } from '../support/database.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook } from '../workflows/support/workflow-client.js';

/** The ReadyForQuery message outside a transaction. The server sends this message after the authentication. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** The ReadyForQuery message in a transaction. */
const READY_IN_TRANSACTION = Buffer.from([0x5a, 0, 0, 0, 5, 0x54]);

/**
 * Runs a proxy in front of PostgreSQL. While `isBreaking` is true, the proxy ends each new connection as soon as the
 * connection is ready. While `isBreakingTransactions` is true, it ends each connection as soon as a transaction has
 * begun.
 */
class Proxy {
  isBreaking = false;
  isBreakingTransactions = false;
  broken = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(target: URL) {
    this.server = createServer((client) => {
      const server = connect(Number(target.port), target.hostname);
      let isReady = !this.isBreaking;
      for (const socket of [client, server]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server);
      server.on('data', (data) => {
        const isFirst = !isReady && data.includes(READY);
        const isBegun = this.isBreakingTransactions && data.includes(READY_IN_TRANSACTION);
        if (isFirst || isBegun) this.broken += 1;
        isReady ||= isFirst;
        client.write(isFirst || isBegun ? Buffer.concat([data, goodbye()]) : data);
      });
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Ends all connections. The server still executes what it has received, but cannot send a response. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Returns the ErrorResponse message that the server sends after pg_terminate_backend. */
function goodbye(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}

describe('connections that the server ends', () => {
  let database: { url: string; drop: () => Promise<void> };
  let proxy: Proxy;
  let owner: Client;
  let switchboard: Switchboard;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new Client({ connectionString: database.url });
    await owner.connect();
    const url = new URL(database.url);
    proxy = new Proxy(new URL(database.url));
    url.port = String(await proxy.listen());
    switchboard = await startSwitchboard({ databaseUrl: url.href, env: { ROLE: 'web' } });
  });
  afterAll(async () => {
    await switchboard.close();
    await proxy.close();
    await owner.end();
    await database.drop();
  });

  // An error event without a listener would end this process, and vitest would report that.
  it('cause a 503 response, and no crash, when they end as soon as they are ready', async () => {
    const acme = await createOrganization(switchboard);
    const search = () => acme.call('search_contacts', {});
    expect((await search()).status).toBe(200);
    proxy.isBreaking = true;
    const answers = await Promise.all(Array.from({ length: 30 }, search));
    expect(proxy.broken).toBeGreaterThan(0);
    for (const { status } of answers) expect([200, 503]).toContain(status);
    proxy.isBreaking = false;
    expect((await search()).status).toBe(200);
  });

  it('make a function of the gate fail, and cause no crash, when they end between two statements of this function', async () => {
    const acme = await createOrganization(switchboard);
    const gate = switchboard.app.get(GateDatabase);
    const measure = () => gate.callSlow('measure_quotas', [acme.id], 5000);
    await measure();
    const before = proxy.broken;
    proxy.isBreakingTransactions = true;
    await expect(measure()).rejects.toMatchObject({ code: 'unavailable' });
    proxy.isBreakingTransactions = false;
    expect(proxy.broken).toBeGreaterThan(before);
    await measure();
  });

  it('cause a 503 response for a webhook that was stored, and a retry does not store it twice', async () => {
    const acme = await createOrganization(switchboard);
    const { id } = await createWorkflow(acme, []);
    const runs = () => owner.query('select from workflow_runs where workflow_id = $1', [id]);
    // From the second webhook on, one statement stores and commits the run.
    expect(await postWebhook(switchboard, id, {})).toMatchObject({ status: 202 });
    await owner.query('begin');
    await owner.query('lock table workflow_runs in exclusive mode');
    const answer = postWebhook(switchboard, id, {});
    await waitFor(async () => {
      // Runs outside a transaction, because pg_stat_activity does not change within one.
      await owner.query('select pg_stat_clear_snapshot()');
      const { rowCount } = await owner.query(
        `select from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like 'insert into workflow_runs%'`,
      );
      return rowCount === 1;
    });
    proxy.cut();
    await owner.query('commit');
    expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    await waitFor(async () => (await runs()).rowCount === 2);
    expect((await postWebhook(switchboard, id, {})).status).toBe(202);
    expect((await runs()).rowCount).toBe(3);
  });
});
