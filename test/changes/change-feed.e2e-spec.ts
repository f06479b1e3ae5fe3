import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChangeFeed } from '../../src/changes/change-feed.js';
import { GateDatabase } from '../../src/database/gate-database.js';
import { ChannelListener } from '../../src/database/notifications/channel-listener.js';
import { NotificationSender } from '../../src/database/notifications/notification-sender.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { WakeUps } from '../../src/queue/wake-ups.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { Told } from './told.js';

const ACME = 'org_acme';
const GAP = { kind: 'gap' } as const;
const change = (uri: string) => ({ kind: 'resource', uri }) as const;

// Two processes' worth of Switchboard on one database; no workers, whose wake-ups listen as well.
let here: Switchboard;
let there: Switchboard;
let open: Told[] = [];
beforeAll(async () => {
  here = await startSwitchboard({ env: { ROLE: 'web' } });
  there = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: here.databaseUrl });
});
afterEach(() => {
  for (const told of open) told.close();
  open = [];
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const follow = async (switchboard: Switchboard, organizationId = ACME): Promise<Told> => {
  const told = await Told.of(switchboard, organizationId);
  open.push(told);
  return told;
};
const publish = (switchboard: Switchboard, uri: string, organizationId = ACME): void =>
  switchboard.app.get(ChangeFeed).publish(organizationId, change(uri));
const backends = (name: string): Promise<{ pid: number }[]> =>
  here.ownerQuery(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [name],
  );
const kill = (name: string): Promise<unknown> =>
  here.ownerQuery(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [name],
  );
const limitConnections = (most: number): Promise<unknown> =>
  here.ownerQuery(
    `alter database ${new URL(here.databaseUrl).pathname.slice(1)} connection limit ${most}`,
  );

describe('the change feed', () => {
  it('tells of each of many changes that come one after the other', async () => {
    const told = await follow(there);
    for (let index = 0; index < 200; index += 1) {
      publish(here, `contact://${index}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitFor(() => told.notices.length === 200);
    expect(told.notices).toEqual(
      Array.from({ length: 200 }, (_, index) => change(`contact://${index}`)),
    );
  });

  it('tells every process, that of the change too, and each once', async () => {
    const [mine, other] = [await follow(here), await follow(there)];
    publish(here, 'test://a');
    here.app.get(ChangeFeed).publish(ACME, { kind: 'tools' });
    here.app.get(ChangeFeed).publish(ACME, { kind: 'keys' });
    const expected = [change('test://a'), { kind: 'tools' }, { kind: 'keys' }];
    expect(await mine.settle(here, ACME)).toEqual(expected);
    expect(await other.settle(here, ACME)).toEqual(expected);
  });

  it('tells nobody else', async () => {
    const [mine, other] = [await follow(there), await follow(there, 'org_other')];
    publish(here, 'test://acme');
    expect(await other.settle(here, 'org_other')).toEqual([]);
    expect(await mine.settle(here, ACME)).toEqual([change('test://acme')]);
  });

  it('tells of what is committed, once it is, and never of what is rolled back', async () => {
    const told = await follow(there);
    const tenants = here.app.get(TenantDatabase);
    await tenants.transaction(ACME, async () => {
      publish(here, 'test://committed');
      expect(await told.settle(there, ACME)).toEqual([]);
    });
    await expect(
      tenants.transaction(ACME, async () => {
        publish(here, 'test://rolled-back');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await tenants.dryRun(ACME, async () => {
      publish(here, 'test://dry');
      await tenants.transaction(ACME, async () => publish(here, 'test://dry-commit'));
    });
    expect(await told.settle(here, ACME)).toEqual([change('test://committed')]);
  });

  it('listens while somebody is interested, on one connection, and not longer', async () => {
    expect(await waitFor(async () => (await backends('switchboard listener')).length === 0)).toBe(
      true,
    );
    const [first, second] = await Promise.all([follow(here), follow(here, 'org_other')]);
    expect(await backends('switchboard listener')).toHaveLength(1);
    first.close();
    first.close();
    publish(there, 'test://still', 'org_other');
    await second.until(change('test://still'));
    second.close();
    await waitFor(async () => (await backends('switchboard listener')).length === 0);
    const again = await follow(here);
    // Ends what has ended already, and not what came in its place.
    first.close();
    publish(there, 'test://again');
    await again.until(change('test://again'));
  });

  it('goes on telling the others when one of them fails', async () => {
    const failing = await here.app.get(ChangeFeed).subscribe(ACME, () => {
      throw new Error('broken listener');
    });
    const told = await follow(here);
    publish(here, 'test://after');
    await told.until(change('test://after'));
    failing();
  });

  it('says that something is missing when its connection broke, and goes on', async () => {
    const told = await follow(there);
    await kill('switchboard listener');
    await told.until(GAP);
    publish(here, 'test://after-gap');
    await told.until(change('test://after-gap'));
  });

  it('says that something is missing when it could not be sent', async () => {
    const told = await follow(there);
    await limitConnections(0);
    await kill('switchboard gate');
    await waitFor(async () => (await backends('switchboard gate')).length === 0);
    publish(here, 'test://lost');
    await waitFor(() => here.app.get(NotificationSender)['lost'].size > 0);
    await limitConnections(-1);
    await told.until(GAP);
    expect(await told.settle(here, ACME)).toEqual([]);
  });

  it('says that something is missing when there was too much of it', async () => {
    const told = await follow(there);
    for (let index = 0; index <= 10_000; index += 1) publish(here, `test://many/${index}`);
    await told.until(GAP);
  });

  it.each([
    ['with a space', 'test://a b'],
    ['with a null character', 'test://a\0b'],
    ['longer than a notification', `test://${'a'.repeat(8000)}`],
  ])('says only that there was a change of a name %s', async (_case, uri) => {
    const [told, other] = [await follow(there), await follow(there, 'org_other')];
    publish(here, uri);
    publish(here, 'test://beside');
    expect(await told.settle(here, ACME)).toEqual([GAP, change('test://beside')]);
    expect(await other.settle(here, 'org_other')).toEqual([]);
  });

  it('tells of all changes of one turn that are too long for one notification', async () => {
    const told = await follow(there);
    const changes = Array.from({ length: 30 }, (_, index) =>
      change(`test://${String(index).repeat(index < 10 ? 3900 : 700)}`),
    );
    for (const { uri } of changes) publish(here, uri);
    expect(await told.settle(here, ACME)).toEqual(changes);
  });

  it('refuses subscribers while the database is away, and takes them when it is back', async () => {
    await waitFor(async () => (await backends('switchboard listener')).length === 0);
    await limitConnections(0);
    await expect(follow(here)).rejects.toMatchObject({ code: 'unavailable' });
    await limitConnections(-1);
    const told = await follow(here);
    publish(there, 'test://back');
    await told.until(change('test://back'));
  });

  it('sends all changes of one turn, and wake-ups with them, in one statement', async () => {
    const told = await follow(there);
    await told.settle(here, ACME);
    const query = vi.spyOn(here.app.get(GateDatabase).pool, 'query');
    here.app.get(WakeUps).wake('run', 'run_test');
    for (let index = 0; index < 500; index += 1) publish(here, `test://burst/${index % 100}`);
    expect(await told.settle(here, ACME)).toHaveLength(100);
    expect(query).toHaveBeenCalledOnce();
    query.mockRestore();
  });
});

it('stops also while it is still connecting', async () => {
  const listener = new ChannelListener(here.access, 'test_channel', { receive: () => undefined });
  await listener.stop();
  await expect(listener.listening).rejects.toThrow();
});

describe('a listener whose host vanished', () => {
  let proxy: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    proxy = createServer((socket) => {
      const database = connect(here.access.port, here.access.host);
      for (const [from, to] of [
        [socket, database],
        [database, socket],
      ] as const) {
        from.on('data', (data) => to.write(data));
        from.on('close', () => to.destroy());
        from.on('error', () => to.destroy());
      }
      sockets.push(socket, database);
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it('is connected anew, though nothing closed its connection', async () => {
    const { port } = proxy.address() as AddressInfo;
    let reconnected = 0;
    const payloads: string[] = [];
    const listener = new ChannelListener(
      { ...here.access, host: '127.0.0.1', port },
      'test_channel',
      { receive: (payload) => payloads.push(payload), reconnected: () => (reconnected += 1) },
      100,
    );
    await listener.listening;
    for (const socket of sockets) socket.removeAllListeners('data');
    await waitFor(() => reconnected === 1);
    here.app.get(NotificationSender).send('test_channel', 'heard');
    await waitFor(() => payloads.includes('heard'));
    await listener.stop();
  });
});
