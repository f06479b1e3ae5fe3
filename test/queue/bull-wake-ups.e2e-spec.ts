import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WakeUps } from '../../src/queue/wake-ups.js';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { findRedisServer } from '../support/find-program.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { RedisServer } from './redis-server.js';

// The tests share one installation and one Redis. Each test starts in the state that the previous test left.
describe.skipIf(!findRedisServer())('wake-ups through Bull', () => {
  let redis: RedisServer;
  let web: Switchboard;
  let worker: Switchboard;
  let acme: TestOrganization;
  let contactId: string;
  const rejections: unknown[] = [];
  const collect = (reason: unknown): void => void rejections.push((reason as Error).stack);

  beforeAll(async () => {
    process.on('unhandledRejection', collect);
    redis = new RedisServer(await freePort());
    const REDIS_URL = redis.url;
    web = await startSwitchboard({ env: { REDIS_URL, ROLE: 'web' } });
    worker = await startSwitchboard({
      env: { REDIS_URL, ROLE: 'worker' },
      databaseUrl: web.databaseUrl,
    });
    acme = await createOrganization(web);
    contactId = (await createContact(acme)).id;
  });
  afterAll(async () => {
    await worker.close();
    await web.close();
    await redis.kill();
    process.off('unhandledRejection', collect);
    expect(rejections).toEqual([]);
  });

  const delivered = async (): Promise<void> => {
    await untilStatus(acme, (await send(acme, { contact_id: contactId })).id, 'sent');
  };
  /** Returns the number of jobs that Bull has created so far. */
  const countJobs = async (): Promise<number> => {
    const prefix = `{switchboard:${web.access.database}:${web.access.gate.user}}:switchboard:id`;
    const answer = await redis.command(`INCRBY ${prefix} 0`);
    return Number(answer.slice(1));
  };

  it('work without Redis, and a large number of them is accepted', async () => {
    await delivered();
    const wakeUps = web.app.get(WakeUps);
    for (let index = 0; index < 10_000; index += 1) wakeUps.wake('message', `msg_${index}`);
    wakeUps.wake('message', 'msg_later', new Date(Date.now() + 60_000));
  });

  it('use Redis as soon as it is available', async () => {
    await redis.start();
    await waitFor(async () => {
      await delivered();
      return (await countJobs()) > 0;
    });
    // The job is finished and leaves no row in Redis.
    await waitFor(async () => {
      const prefix = `{switchboard:${web.access.database}:${web.access.gate.user}}:switchboard`;
      const left = await Promise.all(
        ['active', 'wait'].map((list) => redis.command(`LLEN ${prefix}:${list}`)),
      );
      return left.every((answer) => answer === ':0');
    });
  });

  it('are ignored for unknown ids', async () => {
    web.app.get(WakeUps).wake('message', 'msg_unknown');
    web.app.get(WakeUps).wake('run', 'run_unknown');
    await delivered();
  });

  it('work after FLUSHALL', async () => {
    const waiting = await send(acme, {
      contact_id: contactId,
      scheduled_at: new Date(Date.now() + 1500).toISOString(),
    });
    await redis.command('FLUSHALL');
    await untilStatus(acme, waiting.id, 'sent');
    await delivered();
  });

  it('do not prevent answers and deliveries while Redis is dead, or while Redis hangs', async () => {
    await redis.kill();
    await delivered();
    await redis.start();
    await waitFor(async () => {
      await delivered();
      return (await countJobs()) > 0;
    });
    redis.signal('SIGSTOP');
    await delivered();
    const wakeUps = web.app.get(WakeUps);
    for (let index = 0; index < 10_000; index += 1) wakeUps.wake('message', `msg_${index}`);
    redis.signal('SIGCONT');
    await delivered();
  });

  it('do not prevent a stop of the service while Redis hangs', async () => {
    redis.signal('SIGSTOP');
    const other = await startSwitchboard({
      env: { REDIS_URL: redis.url, ROLE: 'worker' },
      databaseUrl: web.databaseUrl,
    });
    await other.close();
    redis.signal('SIGCONT');
    await delivered();
  });

  it('do not prevent a stop of the service while Redis is not running', async () => {
    await redis.kill();
    await delivered();
    // afterAll closes both processes without a Redis, and fails if one of them cannot stop.
  });
});
