import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContactsRepository } from '../../src/contacts/contacts.repository.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, send } from './support.js';

const CONTACTS = 8;
/** The number of calls. It is large enough that calls share transactions even on a slow machine. */
const AMOUNT = 4 * CONTACTS;

describe('calls of send_message that arrive together', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  /** Lists each contact four times. */
  let contacts: { id: string }[];
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    const made: { id: string }[] = [];
    for (let number = 0; number < CONTACTS; number += 1) made.push(await createContact(acme));
    contacts = Array.from({ length: AMOUNT }, (_, index) => made[index % CONTACTS]!);
  });
  afterAll(() => switchboard.close());

  function sendToAll(fields: object = {}): Promise<PromiseSettledResult<{ id: string }>[]> {
    return Promise.allSettled(contacts.map(({ id }) => send(acme, { contact_id: id, ...fields })));
  }

  /** Returns the transactions that stored each message and its entry in the audit log. */
  async function transactionsOf(ids: readonly string[]): Promise<[string, string][]> {
    const rows = await switchboard.ownerQuery<{ message: string; entry: string }>(
      `select m.xmin::text as message, a.xmin::text as entry from messages m
       join audit_log a on a.organization_id = m.organization_id and a.subject = m.id
       where m.id = any($1) order by array_position($1, m.id)`,
      [ids],
    );
    return rows.map(({ message, entry }) => [message, entry]);
  }

  const idsOf = (results: readonly PromiseSettledResult<{ id: string }>[]): string[] =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []));

  it('share transactions, and each has its message and its entry in the audit log', async () => {
    // Calls share a transaction when they arrive while other calls are committed. This does not happen in every round.
    await waitFor(async () => {
      const ids = idsOf(await sendToAll());
      expect(new Set(ids).size).toBe(AMOUNT);
      const transactions = await transactionsOf(ids);
      expect(transactions).toHaveLength(AMOUNT);
      for (const [message, entry] of transactions) expect(entry).toBe(message);
      return new Set(transactions.map(([message]) => message)).size < AMOUNT;
    });
  });

  it('succeed, except a call that cannot be stored', async () => {
    await switchboard.ownerQuery(
      `create function refuse_one() returns trigger language plpgsql as $$ begin
         if new.contact_id = '${contacts[3]!.id}' then raise exception 'Not this one.'; end if;
         return new;
       end $$`,
    );
    await switchboard.ownerQuery(
      'create trigger refuse_one before insert on messages for each row execute function refuse_one()',
    );
    const results = await sendToAll();
    await switchboard.ownerQuery('drop trigger refuse_one on messages');
    expect(results.map(({ status }) => status)).toEqual(
      contacts.map((_, index) => (index % CONTACTS === 3 ? 'rejected' : 'fulfilled')),
    );
    expect(await transactionsOf(idsOf(results))).toHaveLength(AMOUNT - AMOUNT / CONTACTS);
  });

  it('do not wait for a call whose contact another transaction has locked', async () => {
    const tenants = switchboard.app.get(TenantDatabase, { strict: false });
    const repository = switchboard.app.get(ContactsRepository, { strict: false });
    let sent: Promise<unknown> = Promise.resolve();
    const others = contacts.slice(1, CONTACTS);
    const done: string[] = [];
    await tenants.transaction(acme.id, async () => {
      await repository.findForUpdate(acme.id, contacts[0]!.id);
      sent = tenants.outside(() =>
        Promise.all(
          [contacts[0]!, ...others, ...others, ...others].map(async ({ id }) => {
            await send(acme, { contact_id: id });
            done.push(id);
          }),
        ),
      );
      await tenants.outside(() =>
        waitFor(() => Promise.resolve(done.length === 3 * others.length)),
      );
      expect(done).not.toContain(contacts[0]!.id);
    });
    await sent;
    expect(done.at(-1)).toBe(contacts[0]!.id);
  });
});
