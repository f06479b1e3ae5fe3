import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { MessagesRepository } from '../../src/messaging/messages.repository.js';
import type { Claim } from '../../src/queue/leased-work.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, getMessage, listOutbox, send } from './support.js';

const AMOUNT = 4;

describe('messages of one organization that are claimed together', () => {
  // No worker runs, so the test acts as a worker.
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  });
  afterAll(() => switchboard.close());
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
  });

  async function sendMany(fields: object = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let number = 0; number < AMOUNT; number += 1) {
      const { id } = await createContact(acme);
      ids.push((await send(acme, { contact_id: id, ...fields })).id);
    }
    return ids;
  }

  async function claim(ids: readonly string[]): Promise<Claim[]> {
    const worker = switchboard.app.get(MessageWorker, { strict: false });
    const claims = await Promise.all(ids.map((id) => worker.claim(1, id)));
    return claims.flat();
  }

  /** Starts all deliveries at the same time, as a worker does after a claim. */
  function deliver(claims: readonly Claim[]): Promise<PromiseSettledResult<void>[]> {
    const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
    const { signal } = new AbortController();
    return Promise.allSettled(claims.map((claimed) => delivery.deliver(claimed, signal)));
  }

  async function statusesOf(ids: readonly string[]): Promise<string[]> {
    const messages = await Promise.all(ids.map((id) => getMessage(acme, id)));
    return messages.map(({ status }) => status);
  }

  async function timesOf(status: string): Promise<Date[]> {
    const rows = await switchboard.ownerQuery<{ at: Date }>(
      'select at from message_events where organization_id = $1 and status = $2',
      [acme.id, status],
    );
    return rows.map(({ at }) => at);
  }

  it('begin in one transaction, and are sent once each', async () => {
    const ids = await sendMany();
    await deliver(await claim(ids));
    expect(await statusesOf(ids)).toEqual(ids.map(() => 'sent'));
    const began = await timesOf('sending');
    expect(began).toHaveLength(AMOUNT);
    expect(new Set(began.map(Number)).size).toBe(1);
    expect(await timesOf('sent')).toHaveLength(AMOUNT);
  });

  it('are sent, except a message that another worker has claimed in the meantime', async () => {
    const ids = await sendMany();
    const [stale, ...others] = await claim(ids);
    await switchboard.ownerQuery(
      'update messages set epoch = epoch + 1 where organization_id = $1 and id = $2',
      [acme.id, ids[0]],
    );
    await deliver([stale!, ...others]);
    expect(await statusesOf(ids)).toEqual(['queued', 'sent', 'sent', 'sent']);
    expect(await listOutbox(switchboard)).not.toContain(`${ids[0]}.eml`);
  });

  it('are sent once when a batch has an old and a current claim of the same message', async () => {
    const [id] = await sendMany();
    const [stale] = await claim([id!]);
    await switchboard.ownerQuery(
      'update messages set epoch = epoch + 1 where organization_id = $1 and id = $2',
      [acme.id, id],
    );
    await deliver([stale!, { ...stale!, epoch: stale!.epoch + 1 }]);
    expect(await timesOf('sending')).toHaveLength(1);
    expect(await timesOf('sent')).toHaveLength(1);
  });

  it('are sent, except messages that the address, contact, consent or topic does not permit', async () => {
    await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
    const ids = await sendMany({ topic: 'news' });
    const contacts = await Promise.all(ids.map((id) => getMessage(acme, id)));
    const claims = await claim(ids);
    await acme.call('suppress_address', { channel: 'email', address: contacts[0]!.to });
    await acme.call('update_contact', {
      contact_id: contacts[1]!.contact_id,
      consent: { email: 'denied' },
    });
    await switchboard.ownerQuery(
      `insert into topic_subscriptions (organization_id, contact_id, topic, state, source)
       values ($1, $2, 'news', 'unsubscribed', 'tool')`,
      [acme.id, contacts[2]!.contact_id],
    );
    await deliver(claims);
    expect(await statusesOf(ids)).toEqual(['suppressed', 'canceled', 'suppressed', 'sent']);
    expect(await timesOf('sending')).toHaveLength(1);
  });

  it('do not wait for a message that another transaction has locked', async () => {
    const ids = await sendMany();
    const claims = await claim(ids);
    const tenants = switchboard.app.get(TenantDatabase);
    const messages = switchboard.app.get(MessagesRepository, { strict: false });
    let delivered: Promise<unknown> = Promise.resolve();
    await tenants.transaction(acme.id, async () => {
      await messages.findForUpdate(acme.id, ids[0]!);
      delivered = tenants.outside(() => deliver(claims));
      await tenants.outside(() =>
        waitFor(async () => (await statusesOf(ids)).join(' ') === 'queued sent sent sent'),
      );
    });
    await delivered;
    // On a slow machine, the delivery of the locked message may have given up its wait. The test delivers this message
    // again, as a worker does.
    await deliver(claims.slice(0, 1));
    expect(await statusesOf(ids)).toEqual(ids.map(() => 'sent'));
    expect(await timesOf('sent')).toHaveLength(AMOUNT);
  });

  it('are sent, except a message that makes their transaction fail', async () => {
    const ids = await sendMany();
    const claims = await claim(ids);
    await switchboard.ownerQuery(
      `create function refuse_one() returns trigger language plpgsql as $$ begin
         if new.id = '${ids[1]}' and new.status = 'sending' then raise exception 'Not this one.'; end if;
         return new;
       end $$`,
    );
    await switchboard.ownerQuery(
      'create trigger refuse_one before update on messages for each row execute function refuse_one()',
    );
    const ends = await deliver(claims);
    await switchboard.ownerQuery('drop function refuse_one cascade');
    expect(ends.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await statusesOf(ids)).toEqual(['sent', 'queued', 'sent', 'sent']);
    expect(await timesOf('sending')).toHaveLength(AMOUNT - 1);
  });

  it('are recorded as sent, except a message whose record fails', async () => {
    const ids = await sendMany();
    const claims = await claim(ids);
    await switchboard.ownerQuery(
      `create function refuse_one() returns trigger language plpgsql as $$ begin
         if new.id = '${ids[1]}' and new.status = 'sent' then raise exception 'Not this one.'; end if;
         return new;
       end $$`,
    );
    await switchboard.ownerQuery(
      'create trigger refuse_one before update on messages for each row execute function refuse_one()',
    );
    const delivered = deliver(claims);
    await waitFor(async () => {
      const statuses = await statusesOf(ids);
      return statuses.join(' ') === 'sent sending sent sent';
    });
    await switchboard.ownerQuery('drop function refuse_one cascade');
    await delivered;
    expect(await statusesOf(ids)).toEqual(ids.map(() => 'sent'));
    expect(await timesOf('sent')).toHaveLength(AMOUNT);
  });
});
