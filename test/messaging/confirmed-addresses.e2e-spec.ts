import { beforeAll, describe, expect, it } from 'vitest';
import { merge } from '../contacts/merged-contacts.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, getMessage, send, storedBody, type TestMessage } from './support.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'paper', title: 'Magazine', double_opt_in: true });
});

const subscribe = async (contact_id: string) =>
  (
    await acme.call<{ state: string; changed: boolean }>('set_topic_subscription', {
      contact_id,
      topic: 'paper',
      subscribed: true,
    })
  ).value;
const stateOf = async (contact_id: string): Promise<string> => {
  const { value } = await acme.call<{ subscriptions: { state: string }[] }>(
    'list_topic_subscriptions',
    { contact_id },
  );
  return value.subscriptions[0]!.state;
};
const moveTo = async (contact_id: string, email: string): Promise<void> => {
  expect((await acme.call('update_contact', { contact_id, email })).status).toBe(200);
};

/** Returns the address and the link of each e-mail with a link to confirm, newest first. */
async function asked(contact_id: string): Promise<{ to: string; link: string }[]> {
  const { value } = await acme.call<{ messages: TestMessage[] }>('list_messages', { contact_id });
  const mails = await Promise.all(
    value.messages.map(async ({ id, to }) => {
      const [link] = (await storedBody(switchboard, id)).match(/http\S+\/confirm\/\S+/) ?? [];
      return { to, link };
    }),
  );
  return mails.filter((mail): mail is { to: string; link: string } => mail.link !== undefined);
}

const press = async (link: string): Promise<number> =>
  (await fetch(link, { method: 'POST' })).status;
const outcomeOf = async (contactId: string) => {
  const { id } = await send(acme, { contact_id: contactId, topic: 'paper' });
  return await waitFor(async () => {
    const { status, reason_code: code } = await getMessage(acme, id);
    return ['sent', 'suppressed'].includes(status) ? (code ?? status) : undefined;
  });
};

describe('a subscription with double opt-in', () => {
  it('is not confirmed by the link that was sent to an earlier address, but by the link to the new address', async () => {
    const { id, email } = await createContact(acme);
    await subscribe(id);
    const [first] = await asked(id);
    const victim = `victim-${email}`;
    await moveTo(id, victim);
    expect(await press(first!.link)).toBe(404);
    expect(await subscribe(id)).toEqual({ state: 'pending', changed: true });
    expect(await subscribe(id)).toEqual({ state: 'pending', changed: false });
    expect(await press(first!.link)).toBe(404);
    expect(await stateOf(id)).toBe('pending');
    const [second, ...others] = await asked(id);
    expect(others).toEqual([first]);
    expect(second!.to).toBe(victim);
    expect(await press(second!.link)).toBe(200);
    expect(await stateOf(id)).toBe('subscribed');
  });

  it('allows no messages to an address that did not confirm it', async () => {
    const { id, email } = await createContact(acme);
    await subscribe(id);
    const [first] = await asked(id);
    expect(await press(first!.link)).toBe(200);
    expect(await outcomeOf(id)).toBe('sent');
    await moveTo(id, `victim-${email}`);
    expect(await stateOf(id)).toBe('pending');
    expect(await outcomeOf(id)).toBe('unsubscribed');
    expect(await press(first!.link)).toBe(404);
    await moveTo(id, email);
    expect(await stateOf(id)).toBe('subscribed');
    await moveTo(id, `victim-${email}`);
    expect(await subscribe(id)).toEqual({ state: 'pending', changed: true });
    expect((await asked(id)).map(({ to }) => to)).toEqual([`victim-${email}`, email]);
  });

  it('sends its link to the new address when the page of preferences keeps the topic selected', async () => {
    const { id, email } = await createContact(acme);
    await subscribe(id);
    await moveTo(id, `new-${email}`);
    const { id: messageId } = await send(acme, {
      contact_id: id,
      body: '{{ preferences_url }}',
      variables: {},
    });
    const link = await storedBody(switchboard, messageId);
    const save = async (): Promise<number> => {
      const body = new URLSearchParams({ shown: 'paper', topic: 'paper' });
      return (await fetch(link, { method: 'POST', body })).status;
    };
    expect([await save(), await save()]).toEqual([200, 200]);
    expect((await asked(id)).map(({ to }) => to)).toEqual([`new-${email}`, email]);
  });

  it('of a merged contact must be confirmed at the address of the survivor', async () => {
    const survivor = await createContact(acme);
    const merged = await createContact(acme);
    await subscribe(merged.id);
    const [first] = await asked(merged.id);
    expect(await press(first!.link)).toBe(200);
    await merge(acme, survivor.id, merged.id);
    expect(await stateOf(survivor.id)).toBe('pending');
    await acme.call('unmerge_contacts', { merged_id: merged.id });
    expect(await stateOf(merged.id)).toBe('subscribed');
    await moveTo(merged.id, `other-${merged.email}`);
    expect(await stateOf(merged.id)).toBe('pending');
  });

  it('can be confirmed, and can be requested again, after its e-mail was deleted', async () => {
    const { id } = await createContact(acme);
    await subscribe(id);
    const [first] = await asked(id);
    await switchboard.ownerQuery('delete from messages where contact_id = $1', [id]);
    expect(await subscribe(id)).toEqual({ state: 'pending', changed: false });
    expect(await press(first!.link)).toBe(200);
    expect(await stateOf(id)).toBe('subscribed');
  });
});
