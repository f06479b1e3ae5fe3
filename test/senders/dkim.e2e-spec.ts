import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import {
  add,
  addVerified,
  publish,
  rotate,
  type SenderSetup,
  startWithNames,
  type TestDomain,
  verify,
} from './sender.js';

interface Signature {
  status: { result: string; comment?: string };
  signingDomain: string;
  selector: string;
  signingHeaders: { keys: string };
}

let setup: SenderSetup;
let acme: TestOrganization;
let contactId: string;
beforeAll(async () => {
  setup = await startWithNames();
  acme = await createOrganization(setup.switchboard);
  ({ id: contactId } = await createContact(acme));
});
afterAll(() => setup.close());
beforeEach(() => setup.records.clear());

/** Sends an e-mail and returns its bytes. */
async function sentMail(fields: Record<string, unknown>): Promise<Buffer> {
  const { id } = await send(acme, { contact_id: contactId, ...fields });
  await untilStatus(acme, id, 'sent');
  return await readFile(join(setup.switchboard.dataDir, 'outbox', `${id}.eml`));
}

/** Verifies the signatures as a mail server does, with the published records. */
async function signaturesOf(mail: Buffer): Promise<Signature[]> {
  const resolver = (name: string): Promise<string[][]> =>
    Promise.resolve((setup.records.get(name.toLowerCase()) ?? []).map((text) => [text]));
  const { results } = await dkimVerify(mail, { resolver });
  return (results as Signature[]).filter(({ signingDomain }) => signingDomain !== undefined);
}

const keyOf = ({ keys }: TestDomain, state: string) => keys.find((key) => key.state === state);

describe('the DKIM signature of an e-mail', () => {
  it.each([
    ['text', { body: 'Good morning.\n\n.\nBye.  \n\n\n' }],
    ['letters outside ASCII', { subject: 'Grüße 🎉', body: 'Ä\u00a0ö '.repeat(500) }],
    ['HTML', { html: '<p>Hello  <b>Ada</b></p>\n<p>ü</p>', body: undefined }],
    [
      'HTML and text of many lines',
      { html: `<p>${'a b '.repeat(3000)}</p>`, body: 'b\n'.repeat(3000) },
    ],
  ])('is valid for %s', async (_case, fields) => {
    const domain = await addVerified(setup, acme, 'signed.example');
    const mail = await sentMail({ from: 'Büro <a@signed.example>', ...fields });
    expect(await signaturesOf(mail)).toMatchObject([
      {
        status: { result: 'pass' },
        signingDomain: 'signed.example',
        selector: keyOf(domain, 'current')!.selector,
      },
    ]);
  });

  it('covers the headers that a stranger could change, and the headers for unsubscribing with one click', async () => {
    await addVerified(setup, acme, 'topic.example');
    await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
    const mail = await sentMail({
      from: 'a@topic.example',
      reply_to: 'help@topic.example',
      topic: 'news',
    });
    const [signature] = await signaturesOf(mail);
    expect(signature!.status.result).toBe('pass');
    const covered = signature!.signingHeaders.keys.toLowerCase().split(/[\s:]+/);
    expect(covered).toEqual(
      expect.arrayContaining([
        'from',
        'reply-to',
        'to',
        'subject',
        'date',
        'message-id',
        'mime-version',
        'content-type',
        'list-unsubscribe',
        'list-unsubscribe-post',
      ]),
    );
    for (const [before, after] of [
      ['List-Unsubscribe=One-Click', 'List-Unsubscribe=Other'],
      ['help@topic.example', 'evil@topic.example'],
      ['Good morning.', 'Bad morning.'],
    ] as const) {
      const changed = Buffer.from(mail.toString('latin1').replace(before, after), 'latin1');
      const [broken] = await signaturesOf(changed);
      expect(broken!.status.result, after).not.toBe('pass');
    }
  });

  it('is absent until the record of the key was found', async () => {
    const domain = await add(acme, 'unsigned.example');
    setup.records.set(domain.record_name, [domain.record_value]);
    expect(keyOf(await verify(acme, domain.id), 'next')).toMatchObject({ is_found: false });
    const from = 'a@unsigned.example';
    expect(await signaturesOf(await sentMail({ from }))).toEqual([]);
    const wrong = await addVerified(setup, acme, 'wrong.example');
    const key = keyOf(wrong, 'current')!;
    setup.records.set(key.record_name, ['v=DKIM1; k=rsa; p=']);
    expect(keyOf(await verify(acme, wrong.id), 'current')).toMatchObject({ is_found: false });
    expect(await signaturesOf(await sentMail({ from: 'a@wrong.example' }))).toEqual([]);
  });
});

describe('rotate_sender_key', () => {
  it('signs with the earlier key until DNS has the record of the next key, so sent mail stays valid', async () => {
    const first = await addVerified(setup, acme, 'rotated.example');
    const from = 'a@rotated.example';
    const old = keyOf(first, 'current')!;
    const early = await sentMail({ from });
    const waiting = await rotate(acme, first.id);
    const next = keyOf(waiting, 'next')!;
    expect(next.selector).not.toBe(old.selector);
    // A repeated call does not create a third key.
    expect(await rotate(acme, first.id)).toEqual(waiting);
    await verify(acme, first.id);
    expect(await signaturesOf(await sentMail({ from }))).toMatchObject([
      { status: { result: 'pass' }, selector: old.selector },
    ]);

    publish(setup, { ...waiting, keys: [next] });
    const done = await verify(acme, first.id);
    expect(keyOf(done, 'current')!.selector).toBe(next.selector);
    expect(keyOf(done, 'previous')).toMatchObject({
      selector: old.selector,
      retired_at: expect.any(String),
    });
    expect(await signaturesOf(await sentMail({ from }))).toMatchObject([
      { status: { result: 'pass' }, selector: next.selector },
    ]);
    expect(await signaturesOf(early)).toMatchObject([{ status: { result: 'pass' } }]);
    const sealed = await setup.switchboard.ownerQuery(
      'select sealed is null as is_gone from sender_keys where selector = $1',
      [old.selector],
    );
    expect(sealed).toEqual([{ is_gone: true }]);
  });

  it('never signs with a key that was made while a verification looked up an earlier key', async () => {
    const first = await addVerified(setup, acme, 'overtaken.example');
    const looked = await rotate(acme, first.id);
    publish(setup, { ...looked, keys: [keyOf(looked, 'next')!] });
    // The answer of the name server waits, while other calls activate the key and make another key.
    setup.beforeAnswer = async () => {
      setup.beforeAnswer = async () => undefined;
      await verify(acme, first.id);
      await rotate(acme, first.id);
    };
    const end = await verify(acme, first.id);
    expect(keyOf(end, 'current')!.selector).toBe(keyOf(looked, 'next')!.selector);
    expect(keyOf(end, 'next')).toMatchObject({ is_found: false });
  });
});

it('private keys are stored encrypted, and no tool shows them', async () => {
  const domain = await addVerified(setup, acme, 'secret.example');
  const { value } = await acme.call('list_sender_domains');
  expect(JSON.stringify(value)).not.toContain('PRIVATE');
  const [row] = await setup.switchboard.ownerQuery<{ sealed: Buffer }>(
    'select sealed from sender_keys where domain_id = $1',
    [domain.id],
  );
  expect(row!.sealed.includes('PRIVATE')).toBe(false);
});
