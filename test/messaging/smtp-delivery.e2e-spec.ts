import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FilesService } from '../../src/files/files.service.js';
import { waitForClosedTransactions } from '../support/open-transactions.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { parseEml } from './parse-eml.js';
import { createContact, getMessage, send, type TestMessage, untilStatus } from './support.js';

interface Received {
  to: string[];
  headers: Map<string, string>;
  text: string;
  /** The bytes of the e-mail. */
  raw: string;
}

/** The reactions of the server to the next attempts, by recipient. Without an entry, the server accepts the e-mail. */
type Behaviour = number | { refusal: string } | 'cut' | 'drop' | Promise<void>;
const behaviours = new Map<string, Behaviour[]>();
const received: Received[] = [];
/** The recipients that the server was asked to accept. */
const asked: string[] = [];
const sockets = new Set<{ destroy(): void }>();

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  logger: false,
  onRcptTo: ({ address }, _session, callback) => {
    asked.push(address);
    const next = behaviours.get(address)?.[0];
    if (typeof next === 'object' && 'refusal' in next) {
      void behaviours.get(address)!.shift();
      return callback(Object.assign(new Error(next.refusal), { responseCode: 550 }));
    }
    if (typeof next !== 'number' || next >= 552) return callback();
    void behaviours.get(address)!.shift();
    callback(Object.assign(new Error('no\u0007 luck'), { responseCode: next }));
  },
  onData: (stream, session, callback) => {
    const chunks: Buffer[] = [];
    const to = session.envelope.rcptTo.map(({ address }) => address);
    const isCut = behaviours.get(to[0]!)?.[0] === 'cut';
    if (isCut) void behaviours.get(to[0]!)!.shift();
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isCut) for (const socket of sockets) socket.destroy();
    });
    stream.on('end', () => {
      // The stream also ends when the connection breaks. Then the e-mail is not complete.
      if (isCut) return;
      const raw = Buffer.concat(chunks).toString();
      received.push({ to, raw, ...parseEml(raw) });
      const next = behaviours.get(to[0]!)?.shift();
      if (next === 'drop') for (const socket of sockets) socket.destroy();
      else if (typeof next === 'number') {
        callback(Object.assign(new Error('too big'), { responseCode: next }));
      } else void Promise.resolve(next).then(() => callback());
    });
  },
});
server.on('error', () => undefined);

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  switchboard = await startSwitchboard({
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'shop@acme.example' },
  });
  acme = await createOrganization(switchboard);
});
afterAll(async () => {
  await switchboard.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

async function sendExpecting(...plan: Behaviour[]): Promise<TestMessage> {
  const contact = await createContact(acme);
  behaviours.set(contact.email, plan);
  return await send(acme, { contact_id: contact.id, body: 'Hällo.' });
}

const mailsTo = (address: string) => received.filter(({ to }) => to.includes(address));

function untilReason(id: string, reason: RegExp): Promise<TestMessage> {
  return waitFor(async () => {
    const message = await getMessage(acme, id);
    return reason.test(message.status_reason ?? '') ? message : undefined;
  });
}

async function retryNow(id: string): Promise<void> {
  await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
}

async function pauseOf(id: string): Promise<number> {
  const [row] = await switchboard.ownerQuery<{ seconds: number }>(
    'select extract(epoch from due_at - updated_at)::float8 as seconds from messages where id = $1',
    [id],
  );
  return row!.seconds;
}

describe('delivery by SMTP', () => {
  it('sends the e-mail with a unique Message-ID', async () => {
    const message = await sendExpecting();
    await untilStatus(acme, message.id, 'sent');
    const [mail, ...more] = mailsTo(message.to);
    expect(more).toEqual([]);
    expect(mail!.headers.get('message-id')).toBe(`<${message.id}@acme.example>`);
    expect(mail!.headers.get('from')).toBe('shop@acme.example');
    expect(mail!.text.trim()).toBe('Hällo.');
  });

  it('retries after a temporary refusal when the pause is over', async () => {
    const message = await sendExpecting(451);
    const waiting = await untilReason(message.id, /^Attempt 1 of 6: .*451 no +luck/);
    expect(waiting).toMatchObject({ status: 'queued', sent_at: null });
    expect(await pauseOf(message.id)).toBeCloseTo(30, 0);
    await retryNow(message.id);
    expect((await untilStatus(acme, message.id, 'sent')).status_reason).toBeNull();
    expect(mailsTo(message.to)).toHaveLength(1);
  });

  itSlow('fails the message after six attempts', async () => {
    const message = await sendExpecting(421, 421, 421, 421, 421, 421);
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await untilReason(message.id, new RegExp(`^Attempt ${attempt} of 6`));
      pauses.push(Math.round(await pauseOf(message.id)));
      await retryNow(message.id);
    }
    expect(pauses).toEqual([30, 120, 600, 3600, 14_400]);
    const failed = await untilStatus(acme, message.id, 'failed');
    expect(failed.status_reason).toMatch(/^Attempt 6 of 6/);
  });

  it.each([550, 552])('does not retry after a permanent refusal (%i)', async (code) => {
    const message = await sendExpecting(code);
    const failed = await untilStatus(acme, message.id, 'failed');
    expect(failed.status_reason).toMatch(new RegExp(`^The mail server answered: ${code}`));
    expect(failed.sent_at).toBeNull();
  });

  it.each([
    ['suppresses', '5.1.1 No such user'],
    ['suppresses', '5.1.10 The domain accepts no mail'],
    ['does not suppress', '5.7.1 Blocked'],
    ['does not suppress', '5.1.19 Unknown'],
    ['does not suppress', 'No such user'],
  ])('%s an address after the answer 550 %s to the recipient', async (effect, refusal) => {
    const expected = effect === 'suppresses';
    const message = await sendExpecting({ refusal });
    const failed = await untilStatus(acme, message.id, 'failed');
    expect(failed).toMatchObject({
      reason_code: expected ? 'bounced' : 'provider_refused',
      status_reason: `The mail server answered: 550 ${refusal}`,
    });
    const { value } = await acme.call<{ suppressions: object[] }>('list_suppressions', {});
    const found = value.suppressions.filter(
      (row) => 'message_id' in row && row.message_id === message.id,
    );
    expect(found).toEqual(
      expected ? [expect.objectContaining({ address: message.to, reason: 'bounce' })] : [],
    );
    const next = await send(acme, { email: message.to, body: 'Again.' });
    await untilStatus(acme, next.id, expected ? 'suppressed' : 'sent');
  });

  it('retries with the same Message-ID when the connection breaks before the response', async () => {
    const message = await sendExpecting('drop');
    await untilReason(message.id, /^Attempt 1 of 6/);
    // nodemailer itself must not retry.
    expect(mailsTo(message.to)).toHaveLength(1);
    await retryNow(message.id);
    await untilStatus(acme, message.id, 'sent');
    const ids = mailsTo(message.to).map(({ headers }) => headers.get('message-id'));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  itSlow.each([
    ['in the middle of them', 'cut'],
    ['after them', 'drop'],
  ] as const)(
    'sends attachments completely again when the connection breaks %s',
    async (_when, behaviour) => {
      const bytes = randomBytes(3_000_000);
      const uploaded = await acme.fetch('/api/files?name=a.bin', { method: 'POST', body: bytes });
      const { file } = (await uploaded.json()) as { file: { id: string } };
      const contact = await createContact(acme);
      behaviours.set(contact.email, [behaviour]);
      const attachments = [{ file_id: file.id }];
      const { id } = await send(acme, { contact_id: contact.id, attachments });
      await untilReason(id, /^Attempt 1 of 6/);
      await retryNow(id);
      await untilStatus(acme, id, 'sent');
      const mails = mailsTo(contact.email);
      expect(mails).toHaveLength(behaviour === 'cut' ? 1 : 2);
      for (const { raw } of mails) {
        expect(raw.replaceAll('\r\n', '').includes(bytes.toString('base64'))).toBe(true);
      }
    },
  );

  it('makes a message with an unknown outcome uncertain until a person decides, if its caller chose this', async () => {
    const contact = await createContact(acme);
    behaviours.set(contact.email, ['drop']);
    const message = await send(acme, { contact_id: contact.id, on_uncertain: 'hold' });
    await untilStatus(acme, message.id, 'uncertain');
    expect(await getMessage(acme, message.id)).toMatchObject({ reason_code: 'connection_lost' });
    expect(mailsTo(contact.email)).toHaveLength(1);
    await acme.call('resolve_message', { message_id: message.id, outcome: 'resend' });
    await untilStatus(acme, message.id, 'sent');
    expect(mailsTo(contact.email)).toHaveLength(2);
  });

  it('waits for a slow server without an open transaction, and the message cannot be canceled meanwhile', async () => {
    let answer: () => void = () => undefined;
    const message = await sendExpecting(new Promise((resolve) => (answer = resolve)));
    await waitFor(() => mailsTo(message.to).length === 1);
    expect((await getMessage(acme, message.id)).status).toBe('sending');
    const { error } = await acme.call('cancel_message', { message_id: message.id });
    expect(error?.code).toBe('conflict');
    await waitForClosedTransactions(switchboard);
    answer();
    await untilStatus(acme, message.id, 'sent');
    expect(mailsTo(message.to)).toHaveLength(1);
  });

  itSlow('waits at shutdown for the attempt in progress and records its outcome', async () => {
    const web = await startSwitchboard({ env: { ROLE: 'web' } });
    try {
      const smtp = { SMTP_URL: switchboard.env.smtpUrl!, MAIL_FROM: switchboard.env.mailFrom };
      const worker = await startSwitchboard({
        env: { ROLE: 'worker', ...smtp },
        databaseUrl: web.databaseUrl,
      });
      const shop = await createOrganization(web);
      const contact = await createContact(shop);
      let answer = (): void => undefined;
      behaviours.set(contact.email, [new Promise((resolve) => (answer = resolve))]);
      const { id } = await send(shop, { contact_id: contact.id });
      await waitFor(() => mailsTo(contact.email).length === 1);
      const stopped = worker.close();
      await sleep(1000);
      answer();
      await stopped;
      expect((await getMessage(shop, id)).status).toBe('sent');
    } finally {
      await web.close();
    }
  });

  it('uses no connection for a message before its attachments are read', async () => {
    const upload = await acme.fetch('/api/files', { method: 'POST', body: 'a,b' });
    const { file } = (await upload.json()) as { file: { id: string } };
    const contact = await createContact(acme);
    const { id } = await send(acme, {
      contact_id: contact.id,
      attachments: [{ file_id: file.id }],
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const chunk = [acme.id, file.id];
    await switchboard.ownerQuery(
      'update file_chunks set position = 1 where organization_id = $1 and file_id = $2',
      chunk,
    );
    await retryNow(id);
    const waiting = await untilReason(id, /^Attempt 1 of 6/);
    expect(asked).not.toContain(contact.email);
    expect(waiting.status_reason).toContain('The content of the e-mail could not be read.');
    await switchboard.ownerQuery(
      'update file_chunks set position = 0 where organization_id = $1 and file_id = $2',
      chunk,
    );
    await retryNow(id);
    await untilStatus(acme, id, 'sent');
    expect(asked).toContain(contact.email);
  });

  it('keeps no more of an attachment in memory than its stated size', async () => {
    const bytes = Buffer.alloc(600_000, 'x');
    const upload = await acme.fetch('/api/files', { method: 'POST', body: bytes });
    const { file } = (await upload.json()) as { file: { id: string; size: number } };
    const files = switchboard.app.get(FilesService, { strict: false });
    const { signal } = new AbortController();
    const { files: held, release } = await files.hold(acme.id, [file, file], signal);
    expect(held.map((chunks) => Buffer.concat(chunks).equals(bytes))).toEqual([true, true]);
    release();
    const smaller = { ...file, size: 1 };
    await expect(files.hold(acme.id, [smaller], signal)).rejects.toThrow('larger than its size');
    // The memory is free again after errors.
    const quarter = { ...file, size: 15 * 1024 * 1024 };
    for (let i = 0; i < 5; i += 1) {
      await expect(files.hold(acme.id, [quarter], signal)).rejects.toThrow();
    }
  });

  it('records the reason when the server cannot be reached', async () => {
    // This test is the last one in the file, because the server stays closed.
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    const message = await sendExpecting();
    const waiting = await untilReason(message.id, /could not be reached/);
    expect(waiting.status).toBe('queued');
  });
});
