import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MessageAttemptsService } from '../../src/messaging/message-attempts.service.js';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageOutcomesService } from '../../src/messaging/message-outcomes.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { WakeUps } from '../../src/queue/wake-ups.js';
import { describeOnEachDriver } from '../support/drivers.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, getMessage, listOutbox, readEml, send, untilStatus } from './support.js';

describeOnEachDriver('messages', describeSlow, () => {
  // No worker runs, so the tests can claim messages themselves and act like a worker that dies.
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let leases: MessageWorker;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    leases = switchboard.app.get(MessageWorker, { strict: false });
  });
  afterAll(() => switchboard.close());

  const attempts = () => switchboard.app.get(MessageAttemptsService, { strict: false });

  async function expireLease(id: string): Promise<void> {
    await switchboard.ownerQuery(
      `update messages set lease_until = now() - interval '1 ms' where id = $1`,
      [id],
    );
  }

  describe('the lease of a message', () => {
    it('belongs to one worker at a time, and another worker can claim the message when the lease ends', async () => {
      const { id: contactId } = await createContact(acme);
      const { id } = await send(acme, { contact_id: contactId });
      const racers = await Promise.all(Array.from({ length: 8 }, () => leases.claim(5, id)));
      expect(racers.flat()).toHaveLength(1);
      const [first] = racers.flat();
      await expireLease(id);
      const [second] = await leases.claim(5, id);
      expect(second).toEqual({ ...first, epoch: first!.epoch + 1 });
      expect(await leases.renew([first!])).toEqual([]);
      await expireLease(id);
      expect(await leases.renew([second!])).toEqual([second]);
      expect(await leases.claim(5, id)).toEqual([]);
      // A worker that lost the lease must not release the lease of its successor.
      await leases.release([first!]);
      expect(await leases.claim(5, id)).toEqual([]);
      await leases.release([second!]);
      expect(await leases.claim(5, id)).toHaveLength(1);
    });

    it('prevents a worker that lost the lease from recording an outcome', async () => {
      const { id: contactId } = await createContact(acme);
      const { id } = await send(acme, { contact_id: contactId });
      const outcomes = switchboard.app.get(MessageOutcomesService, { strict: false });
      const [zombie] = await leases.claim(1, id);
      await attempts().begin(zombie!);
      const tooLate = await acme.call('cancel_message', { message_id: id });
      expect(tooLate.error?.code).toBe('conflict');
      await expireLease(id);
      const [successor] = await leases.claim(1, id);
      const outcome = { status: 'failed', reason: 'Refused.' } as const;
      const { signal } = new AbortController();
      await outcomes.record(zombie!, outcome, signal);
      expect((await getMessage(acme, id)).status).toBe('sending');
      await outcomes.record(successor!, outcome, signal);
      expect((await getMessage(acme, id)).status).toBe('failed');
    });

    it('belongs to the process that stored it, until a worker claims it', async () => {
      const { id: contactId } = await createContact(acme);
      const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
      const { signal } = new AbortController();
      const [begun, claimed] = [
        await send(acme, { contact_id: contactId }),
        await send(acme, { contact_id: contactId }),
      ];
      await attempts().begin({ id: begun.id, organizationId: acme.id, epoch: 1 });
      expect(await leases.claim(1, begun.id)).toEqual([]);
      expect(await leases.claim(1, claimed.id)).toHaveLength(1);
      await delivery.deliver({ id: claimed.id, organizationId: acme.id, epoch: 1 }, signal);
      expect((await getMessage(acme, claimed.id)).status).toBe('queued');
      expect(await listOutbox(switchboard)).not.toContain(`${claimed.id}.eml`);
    });

    it('allows only its worker to send the message', async () => {
      const { id: contactId } = await createContact(acme);
      const { id } = await send(acme, { contact_id: contactId });
      const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
      const { signal } = new AbortController();
      const [zombie] = await leases.claim(1, id);
      await expireLease(id);
      const [successor] = await leases.claim(1, id);
      await delivery.deliver(zombie!, signal);
      expect(await listOutbox(switchboard)).not.toContain(`${id}.eml`);
      expect((await getMessage(acme, id)).status).toBe('queued');
      await delivery.deliver(successor!, signal);
      expect((await getMessage(acme, id)).status).toBe('sent');
      expect(await listOutbox(switchboard)).toContain(`${id}.eml`);
    });

    it('does not prevent canceling before the message is sent', async () => {
      const { id: contactId } = await createContact(acme);
      const { id } = await send(acme, { contact_id: contactId });
      const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
      const [claim] = await leases.claim(1, id);
      expect((await acme.call('cancel_message', { message_id: id })).error).toBeUndefined();
      await delivery.deliver(claim!, new AbortController().signal);
      expect((await getMessage(acme, id)).status).toBe('canceled');
      expect(await listOutbox(switchboard)).not.toContain(`${id}.eml`);
    });

    it('expires for a message without an outcome, which then becomes uncertain or is sent again', async () => {
      const { id: contactId } = await createContact(acme);
      const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
      const redeliver = async (fields: object) => {
        const { id } = await send(acme, { contact_id: contactId, ...fields });
        const [dead] = await leases.claim(1, id);
        await attempts().begin(dead!);
        await expireLease(id);
        const [successor] = await leases.claim(1, id);
        await delivery.deliver(successor!, new AbortController().signal);
        return await getMessage(acme, id);
      };
      const held = await redeliver({ on_uncertain: 'hold' });
      expect(held).toMatchObject({ status: 'uncertain', reason_code: 'no_outcome' });
      expect(await listOutbox(switchboard)).not.toContain(`${held.id}.eml`);
      expect(await redeliver({})).toMatchObject({ status: 'sent', reason_code: null });
    });

    it('is released by a worker that stops before it hands the message over', async () => {
      const { id: contactId } = await createContact(acme);
      const { id } = await send(acme, { contact_id: contactId, on_uncertain: 'hold' });
      const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
      const [stopped] = await leases.claim(1, id);
      await delivery.deliver(stopped!, AbortSignal.abort());
      expect((await getMessage(acme, id)).status).toBe('queued');
      const [successor] = await leases.claim(1, id);
      await delivery.deliver(successor!, new AbortController().signal);
      expect((await getMessage(acme, id)).status).toBe('sent');
    });

    it('cannot be claimed for a scheduled or canceled message', async () => {
      const { id: contactId } = await createContact(acme);
      const later = new Date(Date.now() + 3_600_000).toISOString();
      const scheduled = await send(acme, { contact_id: contactId, scheduled_at: later });
      const canceled = await send(acme, { contact_id: contactId });
      await acme.call('cancel_message', { message_id: canceled.id });
      for (const { id } of [scheduled, canceled]) expect(await leases.claim(5, id)).toEqual([]);
    });
  });

  describe('the wake-up for a message', () => {
    it('is sent after the commit, and not when the commit fails', async () => {
      const { id: contactId } = await createContact(acme);
      const wake = vi.spyOn(switchboard.app.get(WakeUps), 'wake');
      // Every statement succeeds, and then the commit fails.
      await switchboard.ownerQuery(
        `create function refuse_commit() returns trigger language plpgsql
       as $$ begin raise exception 'No commit.'; end $$`,
      );
      await switchboard.ownerQuery(
        `create constraint trigger refuse_commit after insert on messages
       deferrable initially deferred for each row execute function refuse_commit()`,
      );
      await expect(send(acme, { contact_id: contactId })).rejects.toThrow('internal');
      expect(wake).not.toHaveBeenCalled();
      await switchboard.ownerQuery('drop function refuse_commit cascade');
      const { id } = await send(acme, { contact_id: contactId });
      expect(wake.mock.calls).toEqual([['message', id, undefined, acme.id]]);
      wake.mockRestore();
    });
  });

  describe('a worker that starts later', () => {
    it('delivers unclaimed messages and messages with expired leases, but no message with a valid lease', async () => {
      const { id: contactId } = await createContact(acme);
      const [waiting, expired, started, leased, hopeless] = [
        await send(acme, { contact_id: contactId }),
        await send(acme, { contact_id: contactId }),
        await send(acme, { contact_id: contactId }),
        await send(acme, { contact_id: contactId }),
        await send(acme, { contact_id: contactId }),
      ];
      for (const { id } of [expired, started, leased]) await leases.claim(1, id);
      await expireLease(expired.id);
      await expireLease(started.id);
      await switchboard.ownerQuery(`update messages set status = 'sending' where id = $1`, [
        started.id,
      ]);
      await switchboard.ownerQuery(
        `update messages set status = 'sending', attempts = 6 where id = $1`,
        [hopeless.id],
      );
      await switchboard.ownerQuery(
        `update messages set lease_until = now() + interval '1 hour' where id = $1`,
        [leased.id],
      );
      const worker = await startSwitchboard({
        env: { ROLE: 'worker' },
        databaseUrl: switchboard.databaseUrl,
      });
      try {
        for (const { id } of [waiting, expired, started]) {
          await untilStatus(acme, id, 'sent');
          expect((await readEml(worker, id)).headers.get('message-id')).toContain(id);
        }
        const failed = await untilStatus(acme, hopeless.id, 'failed');
        expect(failed.status_reason).toMatch(/6 attempts/);
        expect((await getMessage(acme, leased.id)).status).toBe('queued');
        await expireLease(leased.id);
        await untilStatus(acme, leased.id, 'sent');

        // A message that the web process accepts reaches the worker in the other process.
        await untilStatus(acme, (await send(acme, { contact_id: contactId })).id, 'sent');

        // A file replaces the folder, because even root cannot create files inside a file.
        const outbox = join(worker.dataDir, 'outbox');
        await rm(outbox, { recursive: true });
        await writeFile(outbox, '');
        const { id } = await send(acme, { contact_id: contactId });
        const retried = await waitFor(async () => {
          const now = await getMessage(acme, id);
          return now.status_reason ? now : undefined;
        });
        expect(retried.status).toBe('queued');
        expect(retried.status_reason).toMatch(/^Attempt 1 of 6: The e-mail could not be written/);
        await rm(outbox);
        await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
        expect((await untilStatus(acme, id, 'sent')).status_reason).toBeNull();
      } finally {
        await worker.close();
      }
    });
  });
});
