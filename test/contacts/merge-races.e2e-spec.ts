import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { ContactMergesService } from '../../src/contacts/contact-merges.service.js';
import { send } from '../messaging/support.js';
import { commitWhenAwaited, untilAwaited } from '../support/commit-when-awaited.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, getRun } from '../workflows/support/workflow-client.js';
import type { ContactResult } from './contact.js';
import { createContact, find, merge } from './merged-contacts.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const later = () => new Date(Date.now() + 3_600_000).toISOString();

/** Merges two contacts, and commits only when `work` waits for this transaction. Returns the result of `work`. */
function whileMerging<T>(survivorId: string, mergedId: string, work: () => Promise<T>): Promise<T> {
  const merges = switchboard.app.get(ContactMergesService);
  const change = () => merges.merge(acme.id, survivorId, mergedId);
  return commitWhenAwaited(switchboard, acme.id, change, work);
}

async function connect(): Promise<{ client: Client; pid: number }> {
  const client = new Client({ connectionString: switchboard.databaseUrl });
  await client.connect();
  return { client, pid: (client as Client & { processID: number }).processID };
}

async function countDeadlocks(): Promise<number> {
  const [row] = await switchboard.ownerQuery<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(row!.deadlocks);
}

const waitsFor = (pid: number) => untilAwaited(switchboard, pid);

describe('during a merge', () => {
  it('a message to the merged contact goes to the survivor', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const sent = await whileMerging(one.id, two.id, () =>
      send(acme, { contact_id: two.id, scheduled_at: later() }),
    );
    const [row] = await switchboard.ownerQuery('select contact_id from messages where id = $1', [
      sent.id,
    ]);
    expect(row).toEqual({ contact_id: one.id });
  });

  it('an inbound message of the merged contact is recorded', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const { value } = await whileMerging(one.id, two.id, () =>
      acme.call<{ message: { contact_id: string } }>('record_message', {
        email: two.email,
        body: 'Hello',
      }),
    );
    expect(value.message.contact_id).toBe(one.id);
  });

  it.each(['contact_id', 'email'] as const)(
    'a run that names the merged contact by %s gets the survivor as its contact',
    async (name) => {
      const [one, two] = [await createContact(acme), await createContact(acme)];
      const workflow = await createWorkflow(acme, []);
      const payload = name === 'email' ? { email: two.email } : { contact_id: two.id };
      const { body } = await whileMerging(one.id, two.id, async () => {
        const url = `${switchboard.url}/api/webhooks/workflow/${workflow.id}`;
        const response = await postJson(url, payload);
        return { body: (await response.json()) as { runId: string } };
      });
      expect((await getRun(acme, body.runId)).contact_id).toBe(one.id);
    },
  );

  it('a change of the contact that is merged away changes the survivor', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const { value } = await whileMerging(one.id, two.id, () =>
      acme.call<ContactResult>('update_contact', { contact_id: two.id, last_name: 'Late' }),
    );
    expect(value.contact).toMatchObject({ id: one.id, last_name: 'Late' });
  });

  it('create_contact with the address of the merged contact changes the survivor', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const given = { email: two.email, last_name: 'Late', on_conflict: 'update' };
    const { value } = await whileMerging(one.id, two.id, () =>
      acme.call<ContactResult>('create_contact', given),
    );
    expect(value.contact).toMatchObject({ id: one.id, email: one.email, last_name: 'Late' });
  });
});

describe('merge_contacts', () => {
  it('moves a message that an earlier transaction stores during the merge', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const { client, pid } = await connect();
    try {
      await client.query('begin');
      await client.query(
        `insert into messages (organization_id, id, contact_id, channel, direction, body, status)
         values ($1, $2, $3, 'email', 'outbound', 'x', 'sent')`,
        [acme.id, `msg_${two.id}`, two.id],
      );
      const merged = merge(acme, one.id, two.id);
      await waitsFor(pid);
      await client.query('commit');
      const outcome = await merged;
      expect(outcome.error).toBeUndefined();
      expect(outcome.value.moved.messages).toBe(1);
    } finally {
      await client.end();
    }
  });

  it('causes no deadlock with a transaction that locks the merged contact', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    const { id } = await send(acme, { contact_id: two.id, scheduled_at: later() });
    const { client, pid } = await connect();
    try {
      await client.query('begin');
      // Acts as a worker, which locks the message that it delivers. The event of the message then starts a run, which
      // locks the contact.
      await client.query('select from messages where id = $1 for update', [id]);
      const merged = merge(acme, one.id, two.id);
      await waitsFor(pid);
      // Without its short lock timeout, the merge would be in a deadlock here, and PostgreSQL would end the merge.
      const before = await countDeadlocks();
      await client.query(`set deadlock_timeout = '60s'`);
      await client.query('select from contacts where id = $1 for key share', [two.id]);
      await client.query('commit');
      const outcome = await merged;
      expect(outcome.error).toBeUndefined();
      expect(outcome.value.moved.messages).toBe(1);
      expect(await countDeadlocks()).toBe(before);
    } finally {
      await client.end();
    }
  });

  it('keeps exactly one of two contacts that are merged into each other at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [one, two] = [await createContact(acme), await createContact(acme)];
      const messages = [
        await send(acme, { contact_id: one.id, scheduled_at: later() }),
        await send(acme, { contact_id: two.id, scheduled_at: later() }),
      ];
      const outcomes = await Promise.all([
        merge(acme, one.id, two.id),
        merge(acme, two.id, one.id),
      ]);
      const refused = outcomes.filter(({ error }) => error);
      expect(refused.map(({ error }) => error!.code)).toEqual(['invalid_arguments']);
      const survivor = await find(acme, one.id);
      expect((await find(acme, two.id)).id).toBe(survivor.id);
      const rows = await switchboard.ownerQuery(
        'select contact_id from messages where id = any($1)',
        [messages.map(({ id }) => id)],
      );
      expect(rows).toEqual([{ contact_id: survivor.id }, { contact_id: survivor.id }]);
    }
  });

  it('loses no message when many contacts are merged in chains at the same time', async () => {
    const contacts = await Promise.all(Array.from({ length: 6 }, () => createContact(acme)));
    const ids = contacts.map(({ id }) => id);
    await Promise.all(ids.map((id) => send(acme, { contact_id: id, scheduled_at: later() })));
    const pairs = ids.flatMap((id, index) => (index === 0 ? [] : [[ids[index - 1]!, id] as const]));
    let open = pairs;
    while (open.length > 0) {
      const outcomes = await Promise.all(open.map(([to, from]) => merge(acme, to, from)));
      // A call that could not get its locks returns an error, and can be repeated.
      open = open.filter((_, index) => outcomes[index]!.error?.code === 'unavailable');
    }
    const survivors = new Set<string>();
    for (const id of ids) survivors.add((await find(acme, id)).id);
    expect(survivors.size).toBe(1);
    const rows = await switchboard.ownerQuery<{ count: number }>(
      'select count(*)::integer as count from messages where contact_id = any($1)',
      [[...survivors]],
    );
    expect(rows).toEqual([{ count: 6 }]);
  });
});
