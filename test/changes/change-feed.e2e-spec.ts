import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChangeFeed } from '../../src/changes/change-feed.js';
import { GateDatabase } from '../../src/database/gate-database.js';
import { ChannelListener } from '../../src/database/notifications/channel-listener.js';
import { NotificationSender } from '../../src/database/notifications/notification-sender.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { WakeUps } from '../../src/queue/wake-ups.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import { describeSlow, itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ChangeRecorder } from './change-recorder.js';

const ACME = 'org_acme';
const GAP = { kind: 'gap' } as const;
const change = (uri: string) => ({ kind: 'resource', uri }) as const;

// Starts two Switchboard processes on one database. They have no workers, because workers listen on the database too.
let here: Switchboard;
let there: Switchboard;
let open: ChangeRecorder[] = [];
beforeAll(async () => {
  here = await startSwitchboard({ env: { ROLE: 'web' } });
  there = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: here.databaseUrl });
});
afterEach(() => {
  for (const recorder of open) recorder.close();
  open = [];
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const follow = async (switchboard: Switchboard, organizationId = ACME): Promise<ChangeRecorder> => {
  const recorder = await ChangeRecorder.start(switchboard, organizationId);
  open.push(recorder);
  return recorder;
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
  it('delivers each of many changes that follow each other', async () => {
    const recorder = await follow(there);
    for (let index = 0; index < 200; index += 1) {
      publish(here, `contact://${index}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitFor(() => recorder.changes.length === 200);
    expect(recorder.changes).toEqual(
      Array.from({ length: 200 }, (_, index) => change(`contact://${index}`)),
    );
  });

  it('delivers a change once to every process, including the publisher', async () => {
    const [mine, other] = [await follow(here), await follow(there)];
    publish(here, 'test://a');
    here.app.get(ChangeFeed).publish(ACME, { kind: 'tools' });
    here.app.get(ChangeFeed).publish(ACME, { kind: 'keys' });
    const expected = [change('test://a'), { kind: 'tools' }, { kind: 'keys' }];
    expect(await mine.takeAll(here, ACME)).toEqual(expected);
    expect(await other.takeAll(here, ACME)).toEqual(expected);
  });

  it('delivers no changes of other organizations', async () => {
    const [mine, other] = [await follow(there), await follow(there, 'org_other')];
    publish(here, 'test://acme');
    expect(await other.takeAll(here, 'org_other')).toEqual([]);
    expect(await mine.takeAll(here, ACME)).toEqual([change('test://acme')]);
  });

  it('delivers a change after its commit, and never after a rollback', async () => {
    const recorder = await follow(there);
    const tenants = here.app.get(TenantDatabase);
    await tenants.transaction(ACME, async () => {
      publish(here, 'test://committed');
      expect(await recorder.takeAll(there, ACME)).toEqual([]);
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
    expect(await recorder.takeAll(here, ACME)).toEqual([change('test://committed')]);
  });

  it('listens on one connection, and only while there are subscribers', async () => {
    expect(await waitFor(async () => (await backends('switchboard listener')).length === 0)).toBe(
      true,
    );
    const [first, second] = await Promise.all([follow(here), follow(here, 'org_other')]);
    expect(await backends('switchboard listener')).toHaveLength(1);
    first.close();
    first.close();
    publish(there, 'test://still', 'org_other');
    await second.waitFor(change('test://still'));
    second.close();
    await waitFor(async () => (await backends('switchboard listener')).length === 0);
    const again = await follow(here);
    // A second unsubscribe must not end the listener of the new subscriber.
    first.close();
    publish(there, 'test://again');
    await again.waitFor(change('test://again'));
  });

  it('calls the other listeners even when one listener throws', async () => {
    const failing = await here.app.get(ChangeFeed).subscribe(ACME, () => {
      throw new Error('broken listener');
    });
    const recorder = await follow(here);
    publish(here, 'test://after');
    await recorder.waitFor(change('test://after'));
    failing();
  });

  it('reports a gap after a lost connection, and continues', async () => {
    const recorder = await follow(there);
    await kill('switchboard listener');
    await recorder.waitFor(GAP);
    publish(here, 'test://after-gap');
    await recorder.waitFor(change('test://after-gap'));
  });

  itSlow('reports a gap when changes could not be sent', async () => {
    const recorder = await follow(there);
    await limitConnections(0);
    await kill('switchboard gate');
    await waitFor(async () => (await backends('switchboard gate')).length === 0);
    publish(here, 'test://lost');
    await waitFor(() => here.app.get(NotificationSender)['lossy'].size > 0);
    await limitConnections(-1);
    await recorder.waitFor(GAP);
    expect(await recorder.takeAll(here, ACME)).toEqual([]);
  });

  it('reports a gap when there were too many changes', async () => {
    const recorder = await follow(there);
    for (let index = 0; index <= 10_000; index += 1) publish(here, `test://many/${index}`);
    await recorder.waitFor(GAP);
  });

  it.each([
    ['a name with a space', 'test://a b'],
    ['a name with a null character', 'test://a\0b'],
    ['too long for a notification', `test://${'a'.repeat(8000)}`],
  ])('reports a gap for a change whose resource name is %s', async (_case, uri) => {
    const [recorder, other] = [await follow(there), await follow(there, 'org_other')];
    publish(here, uri);
    publish(here, 'test://beside');
    expect(await recorder.takeAll(here, ACME)).toEqual([GAP, change('test://beside')]);
    expect(await other.takeAll(here, 'org_other')).toEqual([]);
  });

  it('delivers all changes of one turn of the event loop, even if one notification cannot hold them', async () => {
    const recorder = await follow(there);
    const changes = Array.from({ length: 30 }, (_, index) =>
      change(`test://${String(index).repeat(index < 10 ? 3900 : 700)}`),
    );
    for (const { uri } of changes) publish(here, uri);
    expect(await recorder.takeAll(here, ACME)).toEqual(changes);
  });

  it('refuses subscribers while the database is unavailable, and accepts them afterwards', async () => {
    await waitFor(async () => (await backends('switchboard listener')).length === 0);
    await limitConnections(0);
    await expect(follow(here)).rejects.toMatchObject({ code: 'unavailable' });
    await limitConnections(-1);
    const recorder = await follow(here);
    publish(there, 'test://back');
    await recorder.waitFor(change('test://back'));
  });

  it('sends all changes and wake-ups of one turn of the event loop in one statement', async () => {
    const recorder = await follow(there);
    await recorder.takeAll(here, ACME);
    const query = vi.spyOn(here.app.get(GateDatabase).pool, 'query');
    here.app.get(WakeUps).wake('run', 'run_test');
    for (let index = 0; index < 500; index += 1) publish(here, `test://burst/${index % 100}`);
    expect(await recorder.takeAll(here, ACME)).toHaveLength(100);
    expect(query).toHaveBeenCalledOnce();
    query.mockRestore();
  });
});

it('a listener that is still connecting can be stopped', async () => {
  const listener = new ChannelListener(here.access, 'test_channel', { receive: () => undefined });
  await listener.stop();
  await expect(listener.listening).rejects.toThrow();
});

describeSlow('a listener whose database host disappeared', () => {
  let proxy: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    proxy = createServer((socket) => {
      const database = connect(here.access.port, new URL(here.databaseUrl).hostname);
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

  it('reconnects, although nothing closed its connection', async () => {
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
