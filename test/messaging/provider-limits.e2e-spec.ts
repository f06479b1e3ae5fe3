import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { ACCOUNT_SID, AUTH_TOKEN, type ProviderServer, startTwilio } from './provider-server.js';
import { createContact, getMessage, send } from './support.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

// No worker runs: the tests claim messages themselves. They change the times in the database instead of waiting.
describe('the place of a message in the limit of its provider', () => {
  let switchboard: Switchboard;
  let twilio: ProviderServer;
  let acme: TestOrganization;
  let providerId: string;
  beforeAll(async () => {
    twilio = await startTwilio();
    const env = { ROLE: 'web', OUTBOUND_ALLOW: `127.0.0.1:${twilio.port}` } as const;
    switchboard = await startSwitchboard({ env });
  });
  afterAll(async () => {
    await switchboard.close();
    await twilio.close();
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
    const { value, error } = await acme.call<{ provider: { id: string } }>(
      'create_channel_provider',
      {
        channel: 'sms',
        kind: 'twilio',
        settings: { account_sid: ACCOUNT_SID, from: 'Acme', base_url: twilio.url },
        secret: AUTH_TOKEN,
        per_second: 1,
      },
    );
    if (error) throw new Error(JSON.stringify(error));
    providerId = value.provider.id;
  });

  async function queueSms(count: number): Promise<string[]> {
    const { id } = await createContact(acme, { phone: '+493012345678' });
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const message = { contact_id: id, channel: 'sms', subject: undefined, body: 'Hi' };
      ids.push((await send(acme, message)).id);
    }
    return ids;
  }

  /** Acts like a worker that claims all the messages at the same moment. Returns their new statuses. */
  async function deliver(ids: readonly string[]): Promise<string[]> {
    const worker = switchboard.app.get(MessageWorker, { strict: false });
    const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
    const claims = (await Promise.all(ids.map((id) => worker.claim(1, id)))).flat();
    expect(claims).toHaveLength(ids.length);
    await Promise.all(claims.map((claim) => delivery.deliver(claim, new AbortController().signal)));
    return Promise.all(ids.map(async (id) => (await getMessage(acme, id)).status));
  }

  /** Takes all places of the next hour, so that a message without a place cannot be sent during the test. */
  const takeAllPlaces = () =>
    switchboard.ownerQuery(
      `insert into gate.token_buckets (id, full_at)
       values (sha256(convert_to($1, 'UTF8')), now() + interval '1 hour')
       on conflict (id) do update set full_at = excluded.full_at`,
      [`messages of ${acme.id} over ${providerId}`],
    );
  /** Makes the messages due as if their places had been the given number of seconds ago. */
  const passPlaces = (ids: readonly string[], secondsAgo: number) =>
    switchboard.ownerQuery(
      `update messages set slot_at = now() - make_interval(secs => $2), due_at = now() - make_interval(secs => $2)
       where id = any ($1)`,
      [ids, secondsAgo],
    );
  async function reserve(count: number): Promise<string[]> {
    await takeAllPlaces();
    const ids = await queueSms(count);
    expect(new Set(await deliver(ids))).toEqual(new Set(['queued']));
    return ids;
  }

  it('is kept when a worker claims the message at its time', async () => {
    const [id] = await reserve(1);
    // The place is a minute ahead, so that a slow machine cannot make the message late.
    await passPlaces([id!], -60);
    await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
    expect(await deliver([id!])).toEqual(['sent']);
  });

  it('is reserved again when no worker claimed the message at its time', async () => {
    const ids = await reserve(3);
    await passPlaces(ids, 10);
    expect(await deliver(ids)).toEqual(['queued', 'queued', 'queued']);
  });

  it('is kept longer after a late claim, so that workers that are always late still send', async () => {
    const [id] = await reserve(1);
    await passPlaces([id!], 10);
    expect(await deliver([id!])).toEqual(['queued']);
    const [row] = await switchboard.ownerQuery<{ seconds: number }>(
      'select extract(epoch from slot_at - due_at)::float as seconds from messages where id = $1',
      [id],
    );
    expect(row!.seconds).toBeGreaterThanOrEqual(10);
  });

  it('is given up when quiet hours hold the message', async () => {
    const ids = await reserve(3);
    await passPlaces(ids, -60);
    await switchboard.ownerQuery('update messages set due_at = now() where id = any ($1)', [ids]);
    const days = [0, 1, 2].map((ahead) => DAYS[(new Date().getUTCDay() + ahead) % 7]);
    const quiet = { from: '00:00', to: '00:00', days, channels: ['sms'] };
    await acme.call('set_sending_rules', { quiet_hours: quiet });
    expect(await deliver(ids)).toEqual(['held', 'held', 'held']);
    await acme.call('set_sending_rules', { quiet_hours: null });
    expect(await deliver(ids)).toEqual(['queued', 'queued', 'queued']);
  });
});
