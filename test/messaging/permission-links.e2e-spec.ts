import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CallTurns } from '../../src/http/call-turns.js';
import { RateLimiter } from '../../src/http/rate-limiter.js';
import { PermissionLinks } from '../../src/topics/permission-links.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { merge } from '../contacts/merged-contacts.js';
import { createContact, getMessage, send, storedBody } from './support.js';

const ONE_CLICK = 'List-Unsubscribe=One-Click';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'news', title: 'News & <more>', default: 'opted_in' });
  await acme.call('create_topic', { name: 'offers', title: 'Offers' });
  await acme.call('create_topic', { name: 'paper', title: 'Magazine', double_opt_in: true });
});

interface Links {
  id: string;
  messageId: string;
  unsubscribe: string;
  preferences: string;
}

/** Creates a contact, schedules a message to the contact, and returns the links in the message. */
async function linksOf(fields: object = {}, topic = 'news', by = acme): Promise<Links> {
  const { id } = await createContact(by, { ...fields });
  const body = '{{ unsubscribe_url }} {{ preferences_url }}';
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const given = { contact_id: id, topic, body, variables: {}, scheduled_at };
  const message = await send(by, given);
  const stored = await storedBody(switchboard, message.id);
  const [unsubscribe, preferences] = stored.split(' ') as [string, string];
  return { id, messageId: message.id, unsubscribe, preferences };
}

const statesOf = async (contact_id: string, by = acme): Promise<Record<string, string>> => {
  const { value } = await by.call<{ subscriptions: { topic: string; state: string }[] }>(
    'list_topic_subscriptions',
    { contact_id },
  );
  return Object.fromEntries(value.subscriptions.map(({ topic, state }) => [topic, state]));
};
const changesOf = async (contact_id: string) =>
  (
    await acme.call<{ changes: { source: string; evidence: Record<string, string> | null }[] }>(
      'list_consent_changes',
      { contact_id },
    )
  ).value.changes;
const post = (url: string, body: string | FormData | URLSearchParams = ONE_CLICK, headers = {}) =>
  fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: {
      ...(typeof body === 'string' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
  });
/** Sends a message of the topic, and returns its status when it is sent or suppressed. */
const outcomeOf = async (contactId: string, topic?: string) => {
  const { id } = await send(acme, { contact_id: contactId, ...(topic && { topic }) });
  return await waitFor(async () => {
    const { status } = await getMessage(acme, id);
    return ['sent', 'suppressed'].includes(status) ? status : undefined;
  });
};

describe('a link to unsubscribe', () => {
  it('changes nothing by GET and HEAD, which scanners send', async () => {
    const { id, unsubscribe } = await linksOf();
    const shown = await fetch(unsubscribe, { redirect: 'manual' });
    expect(shown.status).toBe(200);
    const page = await shown.text();
    expect(page).toContain('<form method="post">');
    expect(page).toContain('News &amp; &lt;more&gt;');
    expect((await fetch(unsubscribe, { method: 'HEAD' })).status).toBe(200);
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await fetch(unsubscribe, { method })).status).toBe(404);
    }
    expect(await statesOf(id)).toMatchObject({ news: 'subscribed' });
    expect(await changesOf(id)).toEqual([]);
  });

  it('shows a page that has no scripts and may not be framed, cached or indexed', async () => {
    const { unsubscribe } = await linksOf();
    const { headers } = await fetch(unsubscribe);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toContain('noindex');
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('unsubscribes by POST from its topic only, and only once', async () => {
    const { id, messageId, unsubscribe } = await linksOf();
    const headers = { 'User-Agent': 'Mail\tprogram 1.0' };
    const first = await post(unsubscribe, ONE_CLICK, headers);
    expect(first.status).toBe(200);
    expect(await first.text()).toContain('role="status"');
    expect((await post(unsubscribe)).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ news: 'unsubscribed' });
    const changes = await changesOf(id);
    expect(changes).toEqual([
      expect.objectContaining({ source: 'one_click', from: null, to: 'unsubscribed' }),
    ]);
    expect(changes[0]!.evidence).toMatchObject({ ip: '127.0.0.1', message_id: messageId });
    expect(changes[0]!.evidence!.user_agent).toContain('program 1.0');
    expect(await outcomeOf(id, 'news')).toBe('suppressed');
    // A message without a topic, such as a password reset, is still sent.
    expect(await outcomeOf(id)).toBe('sent');
  });

  it.each(
    sample(
      [
        ['a form on the page', '', 'unsubscribe_link'],
        ['multipart', multipart(), 'one_click'],
        ['another field', 'a=b', 'unsubscribe_link'],
        ['broken text', '%E0%A4%A&&=', 'unsubscribe_link'],
      ],
      3,
    ),
  )('accepts a body with %s', async (_what, body, source) => {
    const { id, unsubscribe } = await linksOf();
    expect((await post(unsubscribe, body)).status).toBe(200);
    expect((await changesOf(id)).map((change) => change.source)).toEqual([source]);
  });

  it('refuses a body that is too large, and changes nothing', async () => {
    const { id, unsubscribe } = await linksOf();
    expect((await post(unsubscribe, 'a'.repeat(20_000))).status).toBe(413);
    expect(await statesOf(id)).toMatchObject({ news: 'subscribed' });
  });

  it('takes a turn of the network with its body, because anybody may have the link', async () => {
    const take = vi.spyOn(switchboard.app.get(CallTurns), 'takeForUnverifiedBody');
    const { unsubscribe } = await linksOf();
    await post(unsubscribe);
    const calls = take.mock.calls.filter(([organizationId]) => organizationId === acme.id);
    expect(calls).toEqual([[acme.id, '127.0.0.1', ONE_CLICK.length]]);
    take.mockRestore();
  });

  it('unsubscribes the survivor after its contact was merged', async () => {
    const { id: merged, unsubscribe } = await linksOf();
    const { id } = await createContact(acme);
    await merge(acme, id, merged);
    expect((await post(unsubscribe)).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ news: 'unsubscribed' });
  });

  it('works after its topic was deleted', async () => {
    const topic = { name: 'short', title: 'Short', default: 'opted_in' };
    await acme.call('create_topic', topic);
    const { id, unsubscribe } = await linksOf({}, 'short');
    await acme.call('delete_topic', { name: 'short' });
    expect((await fetch(unsubscribe)).status).toBe(200);
    expect((await post(unsubscribe)).status).toBe(200);
    await acme.call('create_topic', topic);
    expect(await statesOf(id)).toMatchObject({ short: 'unsubscribed' });
  });

  it('shows the same page for every reason why the link is not valid, and changes nothing', async () => {
    const { id, unsubscribe, preferences } = await linksOf();
    const beta = await createOrganization(switchboard);
    await beta.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
    const theirs = await linksOf({}, 'news', beta);
    const gone = await linksOf();
    await acme.call('delete_contact', { contact_id: gone.id });
    const token = unsubscribe.split('/u/')[1]!;
    const parts = token.split('.');
    const at = (path: string): string => `${switchboard.url}/${path}`;
    const altered = `${token.slice(0, -1)}${token.endsWith('0') ? '4' : '0'}`;
    const wrong = [
      at(`u/${altered}`),
      at(`u/${[beta.id, ...parts.slice(1)].join('.')}`),
      at(`u/${[parts[0], theirs.id, ...parts.slice(2)].join('.')}`),
      at(`u/${[...parts.slice(0, 3), 'offers', parts[4]].join('.')}`),
      at(`u/${theirs.unsubscribe.split('/u/')[1]!.replace(beta.id, acme.id)}`),
      at(`u/${preferences.split('/preferences/')[1]!}`),
      at(`preferences/${token}`),
      at(`confirm/${token}`),
      at('u/%E0%A4%A'),
      at('u/%00'),
      at(`u/${'x'.repeat(2000)}`),
      gone.unsubscribe,
    ];
    const pages = new Set<string>();
    for (const url of wrong) {
      for (const response of [await fetch(url), await post(url)]) {
        expect([url, response.status]).toEqual([url, 404]);
        expect(response.headers.get('content-type')).toContain('text/html');
        pages.add(await response.text());
      }
    }
    expect(pages.size).toBe(1);
    expect(await changesOf(id)).toEqual([]);
    expect(await statesOf(theirs.id, beta)).toMatchObject({ news: 'subscribed' });
  });

  it('is limited for each contact', async () => {
    const { id, unsubscribe } = await linksOf();
    const requests = Array.from({ length: 60 }, async () => (await fetch(unsubscribe)).status);
    const statuses = await Promise.all(requests);
    expect([...new Set(statuses)].toSorted()).toEqual([200, 429]);
    expect(await statesOf(id)).toMatchObject({ news: 'subscribed' });
    const other = await linksOf();
    expect((await post(other.unsubscribe)).status).toBe(200);
  });

  it('does not share the rate limit of the calls of its organization', async () => {
    const { unsubscribe } = await linksOf();
    const consume = vi.spyOn(switchboard.app.get(RateLimiter), 'consume');
    const { status } = await post(unsubscribe);
    expect(consume).not.toHaveBeenCalled();
    consume.mockRestore();
    expect(status).toBe(200);
  });

  it('shares no rate limit with a link of another organization to a contact with the same id', async () => {
    const { id, messageId, unsubscribe } = await linksOf();
    const beta = await createOrganization(switchboard);
    const target = { organizationId: beta.id, contactId: id, messageId, topic: 'news' };
    const theirs = switchboard.app.get(PermissionLinks).urlOf('unsubscribe', target);
    const requests = Array.from({ length: 60 }, async () => (await fetch(unsubscribe)).status);
    expect(await Promise.all(requests)).toContain(429);
    expect((await fetch(theirs)).status).toBe(404);
  });
});

const choose = (url: string, shown: string[], chosen: string[]) =>
  post(
    url,
    new URLSearchParams([
      ...shown.map((topic): [string, string] => ['shown', topic]),
      ...chosen.map((topic): [string, string] => ['topic', topic]),
    ]),
  );

describe('the page of preferences', () => {
  it('shows the topics that the contact gets, and stores the choice of the contact', async () => {
    const { id, preferences } = await linksOf();
    const page = await (await fetch(preferences)).text();
    expect(page).toMatch(/value="news" checked/);
    expect(page).toMatch(/value="offers">/);
    const saved = await choose(preferences, ['news', 'offers'], ['offers']);
    expect(saved.status).toBe(200);
    expect(await saved.text()).toMatch(/role="status".*value="offers" checked/);
    expect(await statesOf(id)).toMatchObject({ news: 'unsubscribed', offers: 'subscribed' });
    const first = await changesOf(id);
    expect(first.map(({ source }) => source)).toEqual(['preferences', 'preferences']);
    await choose(preferences, ['news', 'offers'], ['offers']);
    expect(await changesOf(id)).toEqual(first);
  });

  it('lets a contact without an e-mail address leave a topic while another topic is pending', async () => {
    const { id, preferences } = await linksOf({ external_id: 'without-address' });
    await acme.call('set_topic_subscription', { contact_id: id, topic: 'paper', subscribed: true });
    expect((await acme.call('update_contact', { contact_id: id, email: null })).status).toBe(200);
    const saved = await choose(preferences, ['news', 'paper'], ['paper']);
    expect([saved.status, await saved.text()]).toEqual([
      200,
      expect.stringContaining('Your choice was saved.'),
    ]);
    expect(await statesOf(id)).toMatchObject({ news: 'unsubscribed', paper: 'pending' });
  });

  it('lists the topics to which the contact could not be subscribed, and stores the rest of the choice', async () => {
    const { id, preferences } = await linksOf({ external_id: 'denied' });
    const consent = { email: 'denied' };
    expect((await acme.call('update_contact', { contact_id: id, consent })).status).toBe(200);
    const saved = await choose(preferences, ['news', 'offers', 'paper'], ['offers', 'paper']);
    expect([saved.status, await saved.text()]).toEqual([
      200,
      expect.stringMatching(/We could not sign you up for: [^,.]+\. The rest/),
    ]);
    expect(await statesOf(id)).toMatchObject({
      news: 'unsubscribed',
      offers: 'subscribed',
      paper: 'unsubscribed',
    });
  });

  it('does not change topics that the page did not show, and ignores unknown topics', async () => {
    const { id, preferences } = await linksOf();
    await choose(preferences, ['offers', 'unknown'], ['unknown', 'offers']);
    expect(await statesOf(id)).toMatchObject({ news: 'subscribed', offers: 'subscribed' });
    expect((await post(preferences, '')).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ news: 'subscribed', offers: 'subscribed' });
  });

  it.each(
    sample(
      [
        [{ locale: 'de-AT' }, 'fr', 'de', 'Speichern'],
        [{}, 'fr-CA, en;q=0.5', 'fr', 'Enregistrer'],
        [{}, 'es', 'es', 'Guardar'],
        [{ locale: 'pt-BR' }, 'en', 'pt', 'Guardar'],
        [{ locale: 'ja' }, 'ja', 'en', 'Save'],
      ],
      3,
    ),
  )(
    'has the right language for a contact with %j and a browser that prefers %s',
    async (fields, wanted, language, text) => {
      const { preferences } = await linksOf(fields);
      const headers = { 'Accept-Language': wanted };
      const page = await (await fetch(preferences, { headers })).text();
      expect(page).toContain(`<html lang="${language}">`);
      expect(page).toContain(`>${text}</button>`);
    },
  );
});

describe('double opt-in', () => {
  const subscribe = (contact_id: string) =>
    acme.call<{ state: string; changed: boolean }>('set_topic_subscription', {
      contact_id,
      topic: 'paper',
      subscribed: true,
    });
  /** Returns the links in the e-mails that asked the contact to confirm, newest first. */
  const confirmationsOf = async (contact_id: string): Promise<string[]> => {
    const { value } = await acme.call<{ messages: { id: string; topic: string | null }[] }>(
      'list_messages',
      { contact_id },
    );
    const bodies = value.messages
      .filter(({ topic }) => topic === null)
      .map(({ id }) => storedBody(switchboard, id));
    return (await Promise.all(bodies)).flatMap((body) => body.match(/http\S+\/confirm\/\S+/) ?? []);
  };

  it('waits for the link in an e-mail, which is sent once', async () => {
    const { id } = await createContact(acme);
    expect((await subscribe(id)).value).toEqual({ state: 'pending', changed: true });
    expect((await subscribe(id)).value).toEqual({ state: 'pending', changed: false });
    const links = await confirmationsOf(id);
    expect(links).toHaveLength(1);
    expect(await outcomeOf(id, 'paper')).toBe('suppressed');
    expect((await fetch(links[0]!)).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ paper: 'pending' });
    expect((await post(links[0]!, '')).status).toBe(200);
    expect((await post(links[0]!, '')).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ paper: 'subscribed' });
    expect((await changesOf(id)).map(({ source }) => source)).toEqual([
      'double_opt_in',
      'dashboard',
    ]);
    expect(await outcomeOf(id, 'paper')).toBe('sent');
    expect((await subscribe(id)).value).toEqual({ state: 'subscribed', changed: false });
  });

  it('is not confirmed by the link of an earlier e-mail', async () => {
    const { id } = await createContact(acme);
    await subscribe(id);
    const [earlier] = await confirmationsOf(id);
    await acme.call('set_topic_subscription', {
      contact_id: id,
      topic: 'paper',
      subscribed: false,
    });
    expect((await post(earlier!, '')).status).toBe(404);
    await subscribe(id);
    expect((await post(earlier!, '')).status).toBe(404);
    expect(await statesOf(id)).toMatchObject({ paper: 'pending' });
    const links = await confirmationsOf(id);
    expect(
      (
        await post(
          links.find((link) => link !== earlier)!,
          '',
        )
      ).status,
    ).toBe(200);
    expect(await statesOf(id)).toMatchObject({ paper: 'subscribed' });
  });

  it('sends one e-mail a day for a topic that the page of preferences selects again', async () => {
    const { id, preferences } = await linksOf();
    const select = (): Promise<Response> => choose(preferences, ['paper'], ['paper']);
    const leave = (): Promise<Response> => choose(preferences, ['paper'], []);
    for (let round = 0; round < 3; round += 1) {
      await select();
      expect(await statesOf(id)).toMatchObject({ paper: 'pending' });
      await leave();
    }
    await Promise.all([select(), leave(), select(), leave(), select()]);
    const [link, ...more] = await confirmationsOf(id);
    expect(more).toEqual([]);

    await leave();
    expect((await post(link!, '')).status).toBe(404);
    await select();
    expect((await post(link!, '')).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ paper: 'subscribed' });
    await leave();
    await select();
    expect(await statesOf(id)).toMatchObject({ paper: 'pending' });
    expect(await confirmationsOf(id)).toEqual([link]);

    await leave();
    await switchboard.ownerQuery(
      `update messages set created_at = created_at - interval '25 hours' where contact_id = $1`,
      [id],
    );
    await select();
    expect(await confirmationsOf(id)).toHaveLength(2);
  });

  it('is confirmed at the address of the survivor after the contact was merged into another contact', async () => {
    const { id: merged } = await createContact(acme);
    const { id } = await createContact(acme);
    await subscribe(merged);
    const [earlier] = await confirmationsOf(merged);
    await merge(acme, id, merged);
    expect(await statesOf(id)).toMatchObject({ paper: 'pending' });
    expect((await post(earlier!, '')).status).toBe(404);
    expect((await subscribe(id)).value).toEqual({ state: 'pending', changed: true });
    const link = (await confirmationsOf(id)).find((one) => one !== earlier);
    expect((await post(link!, '')).status).toBe(200);
    expect(await statesOf(id)).toMatchObject({ paper: 'subscribed' });
  });

  it('is also used by the page of preferences', async () => {
    const { id, preferences } = await linksOf();
    const form = new URLSearchParams({ shown: 'paper', topic: 'paper' });
    expect(await (await post(preferences, form)).text()).toContain('aria-describedby');
    expect(await statesOf(id)).toMatchObject({ paper: 'pending' });
    expect(await confirmationsOf(id)).toHaveLength(1);
  });

  it('begins only for a contact that can get the e-mail', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      phone: '+4930123456',
    });
    const { id } = value.contact;
    expect((await subscribe(id)).error?.code).toBe('invalid_arguments');
    expect(await statesOf(id)).toMatchObject({ paper: 'unsubscribed' });
  });
});

function multipart(): FormData {
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  return form;
}
