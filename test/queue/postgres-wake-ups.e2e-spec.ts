import { afterAll, beforeAll, expect, it } from 'vitest';
import { WakeUps } from '../../src/queue/wake-ups.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

let web: Switchboard;
let worker: Switchboard;
const handled: string[] = [];
beforeAll(async () => {
  web = await startSwitchboard({ env: { ROLE: 'web' } });
  worker = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: web.databaseUrl });
  worker.app.get(WakeUps).consume('message', async (id) => void handled.push(id));
});
afterAll(async () => {
  await worker.close();
  await web.close();
});

const listeners = (): Promise<{ pid: number }[]> =>
  web.ownerQuery(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'switchboard listener' and query like 'listen%'`,
  );

it('only a process that consumes wake-ups listens for them', async () => {
  await waitFor(async () => (await listeners()).length === 1);
});

it('a wake-up of one process is delivered to another', async () => {
  await waitFor(() => {
    web.app.get(WakeUps).wake('message', 'msg_first');
    return handled.includes('msg_first');
  });
  web.app.get(WakeUps).wake('message', "msg_';drop_table:x");
  await waitFor(() => handled.includes("msg_';drop_table:x"));
});

it('a wake-up whose id a notification cannot contain is dropped, and the other wake-ups are delivered', async () => {
  const wakeUps = web.app.get(WakeUps);
  for (const id of ['x'.repeat(9000), 'ü'.repeat(150), 'msg_one msg_two', '', 'msg_beside']) {
    wakeUps.wake('message', id);
  }
  await waitFor(() => handled.includes('msg_beside'), 20_000);
  expect(handled.filter((id) => id === '' || /^(?:msg_one|msg_two|x+|ü+)$/.test(id))).toEqual([]);
});

it('a process listens again after its connection was closed', async () => {
  const [{ pid }] = (await listeners()) as [{ pid: number }];
  await web.ownerQuery('select pg_terminate_backend($1)', [pid]);
  await waitFor(async () => (await listeners()).some((listener) => listener.pid !== pid));
  await waitFor(() => {
    web.app.get(WakeUps).wake('message', 'msg_again');
    return handled.includes('msg_again');
  });
});

it('wake-ups for a later time are left to the poll, and none is delivered while a process is paused', async () => {
  web.app.get(WakeUps).wake('message', 'msg_later', new Date(Date.now() + 60_000));
  web.app.get(WakeUps).wake('message', 'msg_now');
  await waitFor(() => handled.includes('msg_now'));
  expect(handled).not.toContain('msg_later');
  await worker.app.get(WakeUps).pause();
  web.app.get(WakeUps).wake('message', 'msg_paused');
  await worker.ownerQuery('select pg_sleep(0.3)');
  expect(handled).not.toContain('msg_paused');
});
