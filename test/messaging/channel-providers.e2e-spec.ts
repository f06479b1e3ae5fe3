import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Channel } from '../../src/channels/channel.decorator.js';
import type { DeliveryChannel } from '../../src/channels/channel-contract.js';
import { dumpOrganization } from '../database/dump-organization.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow } from '../support/thorough.js';
import { ACCOUNT_SID, AUTH_TOKEN, type ProviderServer, startTwilio } from './provider-server.js';
import { createContact, untilStatus } from './support.js';

interface Provider {
  id: string;
  name: string;
  priority: number;
  per_second: number;
  settings: Record<string, string>;
}

/** A channel that keeps its messages in memory. */
@Channel({ name: 'pager', title: 'Pager', address: 'property pager' })
@Injectable()
class PagerChannel implements DeliveryChannel {
  readonly sent: string[] = [];
  addressOf({ properties }: { properties: Readonly<Record<string, unknown>> }): string | null {
    return typeof properties.pager === 'string' ? properties.pager : null;
  }
  isAddress(address: string): boolean {
    return /^\d+$/.test(address);
  }
  checkContent({ body }: { body: string }) {
    return /^\d+$/.test(body) ? [] : [{ path: 'body', message: 'must have digits only' }];
  }
  async handOver({ to, body }: { to: string; body: string }) {
    if (body === '13') throw new Error('unlucky');
    this.sent.push(`${to}: ${body}`);
    return { outcome: 'sent' as const };
  }
}

describe('the providers of channels', () => {
  let switchboard: Switchboard;
  let twilio: ProviderServer;
  let acme: TestOrganization;
  beforeAll(async () => {
    twilio = await startTwilio();
    switchboard = await startSwitchboard({
      env: { OUTBOUND_ALLOW: `127.0.0.1:${twilio.port}` },
      providers: [PagerChannel],
    });
  });
  afterAll(async () => {
    await switchboard.close();
    await twilio.close();
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
  });

  const given = (more: object = {}) => ({
    channel: 'sms',
    kind: 'twilio',
    settings: { account_sid: ACCOUNT_SID, from: 'Acme', base_url: twilio.url },
    secret: AUTH_TOKEN,
    ...more,
  });
  const create = (more: object = {}) =>
    acme.call<{ provider: Provider }>('create_channel_provider', given(more));
  const list = async (by = acme) =>
    (await by.call<{ providers: Provider[] }>('list_channel_providers', {})).value.providers;

  it('never show their secret in results, rows or logs', async () => {
    const { value } = await create();
    const canary = 'canary-secret-7f3a';
    const changed = { provider_id: value.provider.id, secret: canary };
    await acme.call('update_channel_provider', changed);
    const shown = JSON.stringify([
      await list(),
      await acme.call('list_audit_log', {}),
      await dumpOrganization(switchboard, acme.id),
    ]);
    expect(shown).not.toContain(AUTH_TOKEN);
    expect(shown).not.toContain(canary);
  });

  it('need the secret again when their base URL changes', async () => {
    const { id, settings } = (await create()).value.provider;
    const update = (more: object) =>
      acme.call('update_channel_provider', { provider_id: id, ...more });
    const moved = { settings: { ...settings, base_url: 'https://evil.example.com' } };
    expect((await update(moved)).error?.details).toEqual([
      { path: 'secret', message: 'is required to change who receives it' },
    ]);
    expect((await update({ settings: { ...settings, from: 'Other' } })).error).toBeUndefined();
    expect((await update({ ...moved, secret: 'other' })).error).toBeUndefined();
  });

  it('cannot be moved to another organization or row by SQL', async () => {
    const { id } = (await create()).value.provider;
    const other = (await create({ name: 'Other' })).value.provider.id;
    await switchboard.ownerQuery(
      `update channel_providers set sealed = (select sealed from channel_providers where id = $1) where id = $2`,
      [id, other],
    );
    await expect(acme.call('list_channel_providers', {})).rejects.toThrow('500');
  });

  it.each([
    [{ channel: 'fax' }, 'channel', 'must be one of email, pager, sms, webhook'],
    [{ kind: 'carrier' }, 'kind', 'must be one of twilio, vonage for sms'],
    [
      { channel: 'email', kind: 'smtp' },
      'channel',
      'must have kinds of providers, and email has none',
    ],
    [{ settings: {} }, 'settings.account_sid', 'is required'],
    [
      { settings: { account_sid: 'AC1', base_url: 'ftp://x' } },
      'settings.base_url',
      'must be an http or https URL without a query',
    ],
    [
      { settings: { account_sid: 'AC/../x' } },
      'settings.account_sid',
      'must be the SID of the account',
    ],
    [{ secret: 'two\nlines' }, 'secret', 'must be printable ASCII without spaces'],
  ])('are refused with a fault: %#', async (more, path, message) => {
    const { error } = await create(more);
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(error!.details).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  it('are at most 20 in an organization, and each has its own priority', async () => {
    for (let count = 0; count < 20; count += 1) await create({ name: `Account ${count}` });
    expect((await create()).error?.code).toBe('conflict');
    const providers = await list();
    expect(providers.map(({ priority }) => priority)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    const [first] = providers;
    await acme.call('delete_channel_provider', { provider_id: first!.id });
    expect(await list()).toHaveLength(19);
    const globex = await createOrganization(switchboard);
    expect(await list(globex)).toEqual([]);
    const foreign = { provider_id: providers[1]!.id };
    expect((await globex.call('delete_channel_provider', foreign)).error?.code).toBe('not_found');
    expect(
      (await globex.call('test_channel_provider', { ...foreign, to: '+493012345678' })).error?.code,
    ).toBe('not_found');
  });

  it('can be tested with a message to an address', async () => {
    const { id } = (await create()).value.provider;
    const test = (to: string) =>
      acme.call<{ outcome: string; reason: string | null }>('test_channel_provider', {
        provider_id: id,
        to,
      });
    expect((await test('+493012345678')).value).toMatchObject({ outcome: 'sent', reason: null });
    expect(twilio.accepted.at(-1)).toMatchObject({ to: '+493012345678' });
    const before = twilio.requests.length;
    const dry = { provider_id: id, to: '+493012345678', dry_run: true };
    expect((await acme.call('test_channel_provider', dry)).error?.code).toBe('invalid_arguments');
    expect(twilio.requests).toHaveLength(before);
    expect((await test('somebody')).error?.code).toBe('invalid_arguments');
    await acme.call('update_channel_provider', { provider_id: id, secret: 'wrong' });
    expect((await test('+493012345678')).value).toMatchObject({
      outcome: 'refused',
      reason: 'The provider answered 401: Authenticate',
    });
  });

  it('make their channel ready', async () => {
    const listed = await acme.call<{ channels: { name: string; is_ready: boolean }[] }>(
      'list_channels',
      {},
    );
    // Without a mail server, e-mails are written to files.
    expect(listed.value.channels[0]).toMatchObject({ name: 'email', writes_files: true });
    expect(listed.value.channels[1]).toMatchObject({ name: 'pager', writes_files: false });
    expect(listed.value.channels.map(({ name, is_ready: ready }) => [name, ready])).toEqual([
      ['email', true],
      ['pager', true],
      ['sms', false],
      ['webhook', false],
    ]);
  });

  it('are not needed by a channel without kinds of providers, and each channel checks its messages', async () => {
    const { id: contact_id } = await createContact(acme, { properties: { pager: '0815' } });
    const send = (body: string) =>
      acme.call<{ message: { id: string } }>('send_message', {
        contact_id,
        channel: 'pager',
        body,
      });
    expect((await send('Hello')).error?.details).toEqual([
      { path: 'body', message: 'must have digits only' },
    ]);
    await untilStatus(acme, (await send('42')).value.message.id, 'sent');
    expect(switchboard.app.get(PagerChannel).sent).toEqual(['0815: 42']);
    const thrown = await untilStatus(acme, (await send('13')).value.message.id, 'uncertain');
    expect(thrown).toMatchObject({ reason_code: 'no_outcome' });
  });
});

describeSlow('the boot', () => {
  const stopsAt = async (
    options: Partial<Parameters<typeof Channel>[0]>,
    without?: keyof DeliveryChannel,
  ) => {
    @Channel({ name: 'probe', title: 'Probe', address: 'address', ...options })
    @Injectable()
    class ProbeChannel extends PagerChannel {
      constructor() {
        super();
        if (without) Object.defineProperty(this, without, { value: undefined });
      }
    }
    return await startSwitchboard({ providers: [ProbeChannel] }).then(
      async (switchboard) => {
        await switchboard.close();
        return undefined;
      },
      (error: Error) => error.message,
    );
  };

  it('stops at two channels with the same name', async () => {
    expect(await stopsAt({ name: 'sms' })).toMatch(/^Two channels are called sms: /);
  });

  it('stops at a class that lacks a method, and at an invalid name of a channel', async () => {
    expect(await stopsAt({}, 'handOver')).toBe(
      'ProbeChannel: a channel must have these methods: handOver.',
    );
    expect(await stopsAt({ name: 'Bad Name' })).toMatch(/is not a valid name for a channel/);
  });

  it('stops at a channel that two modules provide', async () => {
    @Module({ providers: [PagerChannel] })
    class FirstModule {}
    @Module({ providers: [PagerChannel] })
    class SecondModule {}
    await expect(startSwitchboard({ modules: [FirstModule, SecondModule] })).rejects.toThrow(
      'The channel pager is registered twice',
    );
  });
});
