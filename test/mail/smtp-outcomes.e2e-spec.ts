import { afterEach, describe, expect, it } from 'vitest';
import type { Delivery, Email } from '../../src/mail/email-channel.js';
import { SmtpEmailChannel } from '../../src/mail/smtp-email-channel.js';
import { type Moment, type Reaction, ScriptedSmtpServer } from './scripted-smtp-server.js';
import { itSlow } from '../support/thorough.js';

const FROM = 'shop@acme.example';
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function startServer(
  script: Partial<Record<Moment, Reaction>> = {},
  extensions?: string[],
): Promise<ScriptedSmtpServer> {
  const server = await new ScriptedSmtpServer(script, extensions).start();
  stops.push(() => server.stop());
  return server;
}

function openChannel(server: ScriptedSmtpServer, query = '', user = ''): SmtpEmailChannel {
  const url = `smtp://${user}127.0.0.1:${server.port}/${query}`;
  const channel = new SmtpEmailChannel(url, FROM, 3);
  stops.unshift(() => channel.onApplicationShutdown());
  return channel;
}

const emailOf = (members: Partial<Email> = {}): Email => ({
  id: 'msg_1',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Text',
  date: new Date(),
  ...members,
});

const deliver = (channel: SmtpEmailChannel, members?: Partial<Email>): Promise<Delivery> =>
  channel.deliver(emailOf(members), new AbortController().signal);

describe('the outcome of an attempt by SMTP', () => {
  const BEFORE_DOT: Moment[] = ['connect', 'EHLO', 'STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA'];
  const EXTENSIONS: Partial<Record<Moment, string[]>> = {
    STARTTLS: ['STARTTLS'],
    AUTH: ['AUTH PLAIN'],
  };

  it.each(BEFORE_DOT)('is failed when the connection breaks at %s', async (moment) => {
    const server = await startServer({ [moment]: 'drop' }, EXTENSIONS[moment]);
    const channel = openChannel(server, '', moment === 'AUTH' ? 'shop:secret@' : '');
    const delivery = await deliver(channel);
    expect(delivery.outcome).toBe('failed');
    expect(delivery).toMatchObject({ reason: expect.stringContaining('could not be reached') });
    expect(server.messages).toEqual([]);
  });

  it.each([
    ['with', ['PIPELINING']],
    ['without', []],
  ])('is failed when the connection breaks at RCPT %s pipelining', async (_case, extensions) => {
    const server = await startServer({ RCPT: 'drop' }, extensions);
    expect((await deliver(openChannel(server))).outcome).toBe('failed');
  });

  itSlow(
    'is failed when the connection breaks while the server still has to read content',
    async () => {
      const server = await startServer({ content: 'drop' });
      // The text is larger than the buffers of both sides.
      const delivery = await deliver(openChannel(server), {
        text: 'long line\n'.repeat(3_000_000),
      });
      expect(delivery.outcome).toBe('failed');
    },
  );

  it('is unknown when the connection breaks after the final dot', async () => {
    const server = await startServer({ dot: 'drop' });
    const delivery = await deliver(openChannel(server));
    expect(delivery).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('got the whole message and did not answer'),
    });
    expect(server.messages).toHaveLength(1);
  });

  it('is unknown when the server does not answer the final dot in time', async () => {
    const server = await startServer({ dot: 'silence' });
    const delivery = await deliver(openChannel(server, '?socketTimeout=200'));
    expect(delivery).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('ETIMEDOUT'),
    });
  });

  it.each(['connect', 'MAIL', 'RCPT', 'DATA'] as const)(
    'is failed when the server does not answer %s in time',
    async (moment) => {
      const server = await startServer({ [moment]: 'silence' });
      const channel = openChannel(server, '?socketTimeout=200&greetingTimeout=200');
      expect((await deliver(channel)).outcome).toBe('failed');
    },
  );

  it.each(['MAIL', 'RCPT', 'DATA', 'dot'] as const)(
    'is refused after a permanent answer and failed after a temporary one at %s',
    async (moment) => {
      for (const [code, outcome] of [
        [550, 'refused'],
        [451, 'failed'],
        [421, 'failed'],
      ] as const) {
        const server = await startServer({ [moment]: `${code} no luck` });
        expect(await deliver(openChannel(server))).toEqual({
          outcome,
          reason: `The mail server answered: ${code} no luck`,
        });
      }
    },
  );

  it.each(['connect', 'AUTH'] as const)(
    'is failed after a permanent answer at %s, which is not about the message',
    async (moment) => {
      const server = await startServer({ [moment]: '535 go away' }, EXTENSIONS[moment]);
      const channel = openChannel(server, '', moment === 'AUTH' ? 'shop:secret@' : '');
      expect((await deliver(channel)).outcome).toBe('failed');
    },
  );

  it('is failed when TLS is required and the server does not offer it', async () => {
    const server = await startServer({ STARTTLS: '502 not implemented' }, []);
    const delivery = await deliver(openChannel(server, '?requireTLS=true'));
    expect(delivery.outcome).toBe('failed');
    expect(server.commands.join()).not.toContain('MAIL');
  });

  it('is refused without SMTPUTF8 for an address with letters outside ASCII', async () => {
    const to = 'ädä@example.com';
    const without = await startServer({}, ['PIPELINING']);
    expect(await deliver(openChannel(without), { to })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('SMTPUTF8'),
    });
    expect(without.commands.join()).not.toContain('RCPT');
    const withIt = await startServer();
    expect(await deliver(openChannel(withIt), { to })).toEqual({ outcome: 'sent' });
    expect(withIt.commands).toContain(`MAIL FROM:<${FROM}> SMTPUTF8`);
  });

  it('is unknown when an attempt is aborted after the final dot, and failed when aborted at its start', async () => {
    const server = await startServer({ dot: 'silence' });
    const controller = new AbortController();
    const channel = openChannel(server);
    const attempt = channel.deliver(emailOf(), controller.signal);
    await expect.poll(() => server.messages.length).toBe(1);
    controller.abort();
    expect(await attempt).toMatchObject({ outcome: 'unknown' });
    expect((await channel.deliver(emailOf(), controller.signal)).outcome).toBe('failed');
  });
});

describe('the connections to the mail server', () => {
  it('are used again, also after a refused recipient', async () => {
    const server = await startServer({ RCPT: '550 unknown' });
    const channel = openChannel(server);
    for (let i = 0; i < 3; i += 1) expect((await deliver(channel)).outcome).toBe('refused');
    const taking = await startServer();
    const second = openChannel(taking);
    for (let i = 0; i < 3; i += 1) expect((await deliver(second)).outcome).toBe('sent');
    // A connection that recovers from a refusal is not free yet, so another connection may be opened.
    expect(server.connections).toBeLessThanOrEqual(3);
    expect(server.commands).toContain('RSET');
    expect(taking.connections).toBe(1);
  });

  it('are never more than the limit', async () => {
    const server = await startServer();
    const channel = openChannel(server);
    const deliveries = await Promise.all(Array.from({ length: 40 }, () => deliver(channel)));
    expect(new Set(deliveries.map(({ outcome }) => outcome))).toEqual(new Set(['sent']));
    expect(server.messages).toHaveLength(40);
    expect(server.mostOpen).toBeLessThanOrEqual(3);
  });

  it('are used in turn by the organizations whose messages wait', async () => {
    const server = await startServer();
    const channel = openChannel(server, '?maxConnections=1');
    const sent = ['busy', 'busy', 'busy', 'quiet'].map((organizationId, index) =>
      deliver(channel, { organizationId, subject: `${organizationId} ${index}` }),
    );
    await Promise.all(sent);
    const subjects = server.messages.map((message) => /^Subject: (.*)\r$/m.exec(message)?.[1]);
    expect(subjects).toEqual(['busy 0', 'busy 1', 'quiet 3', 'busy 2']);
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [10, 7],
  ])(
    'with a limit of %i, are used by one organization with slow messages up to %i at a time',
    async (connections, most) => {
      const server = await startServer({ DATA: 'silence' });
      const limits = `?maxConnections=${connections}&socketTimeout=600000`;
      const channel = openChannel(server, limits);
      const recipients = (name: string) =>
        server.commands.filter((command) => command === `RCPT TO:<${name}@example.com>`).length;
      const send = (organizationId: string): void =>
        void deliver(channel, { organizationId, to: `${organizationId}@example.com` });
      for (let i = 0; i < 2 * connections; i += 1) send('busy');
      await expect.poll(() => recipients('busy')).toBe(most);
      // Each other organization gets a connection as long as one is free.
      const others = Array.from({ length: connections - most }, (_, index) => `other${index}`);
      for (const other of others) send(other);
      for (const other of others) await expect.poll(() => recipients(other)).toBe(1);
      expect(recipients('busy')).toBe(most);
    },
  );

  it('are closed after a number of messages', async () => {
    const server = await startServer();
    const channel = openChannel(server, '?maxMessages=2');
    for (let i = 0; i < 5; i += 1) expect((await deliver(channel)).outcome).toBe('sent');
    expect(server.connections).toBe(3);
  });

  it('are closed with QUIT after they were unused for a while', async () => {
    const server = await startServer();
    const channel = openChannel(server, '?idleTimeout=50');
    await deliver(channel);
    await expect.poll(() => server.commands.at(-1)).toBe('QUIT');
    expect((await deliver(channel)).outcome).toBe('sent');
    expect(server.connections).toBe(2);
  });

  it('take no message after the shutdown', async () => {
    const server = await startServer();
    const channel = openChannel(server);
    channel.onApplicationShutdown();
    expect((await deliver(channel)).outcome).toBe('failed');
    expect(server.connections).toBe(0);
  });
});
