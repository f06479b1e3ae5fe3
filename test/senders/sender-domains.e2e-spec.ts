import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SenderDomainChecks } from '../../src/senders/sender-domain-checks.js';
import { runSql, SqlTools } from '../database/sql-tools.js';
import { parseMime } from '../messaging/parse-mime.js';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { itSlow } from '../support/thorough.js';
import { add, addVerified, publish, type SenderSetup, startWithNames, verify } from './sender.js';

let setup: SenderSetup;
let acme: TestOrganization;
let contactId: string;
beforeAll(async () => {
  setup = await startWithNames({ providers: [SqlTools] });
  acme = await createOrganization(setup.switchboard);
  ({ id: contactId } = await createContact(acme));
});
afterAll(() => setup.close());
beforeEach(() => setup.records.clear());

async function sentHeaders(fields: Record<string, unknown>): Promise<ReadonlyMap<string, string>> {
  const { id } = await send(acme, { contact_id: contactId, ...fields });
  await untilStatus(acme, id, 'sent');
  const file = join(setup.switchboard.dataDir, 'outbox', `${id}.eml`);
  return parseMime(await readFile(file, 'utf8')).headers;
}

async function faultOf(organization: TestOrganization, from: string): Promise<unknown> {
  const { id } = await createContact(organization);
  const given = { contact_id: id, subject: 'a', body: 'b', from };
  return (await organization.call('send_message', given)).error;
}

const REFUSED = { code: 'invalid_arguments', details: [{ path: 'from' }] };

describe('the sender of an e-mail', () => {
  it('is an address of a domain that the organization has verified', async () => {
    const from = 'Acme <News@Acme.example>';
    expect(await faultOf(acme, from)).toMatchObject(REFUSED);
    const added = await add(acme, ' Acme.Example. ');
    expect(added).toMatchObject({ domain: 'acme.example', state: 'unverified', result: null });
    expect(await faultOf(acme, from)).toMatchObject(REFUSED);
    expect(await verify(acme, added.id)).toMatchObject({ state: 'unverified', result: 'missing' });
    expect(await faultOf(acme, from)).toMatchObject(REFUSED);

    publish(setup, added);
    expect(await verify(acme, added.id)).toMatchObject({ state: 'verified', result: 'found' });
    const headers = await sentHeaders({ from });
    expect(headers.get('from')).toBe('Acme <news@acme.example>');
    expect(headers.get('message-id')).toMatch(/^<msg_\w+@acme\.example>$/);
    // Without `from`, an e-mail keeps the default sender.
    expect((await sentHeaders({})).get('from')).toBe('switchboard@localhost');
    for (const other of ['a@sub.acme.example', 'a@acme.example.evil.example', 'a@xacme.example']) {
      expect(await faultOf(acme, other)).toMatchObject(REFUSED);
    }
    const faulty = await faultOf(acme, 'A\r\nBcc: eve@evil.example <a@acme.example>');
    expect(faulty).toMatchObject(REFUSED);
  });

  itSlow('can have a domain with letters outside ASCII', async () => {
    const domain = await addVerified(setup, acme, 'MÜNCHEN.example');
    expect(domain.domain).toBe('xn--mnchen-3ya.example');
    const headers = await sentHeaders({ from: 'Büro <a@münchen.example>' });
    expect(headers.get('from')).toMatch(/<a@xn--mnchen-3ya\.example>$/);
    expect(headers.get('message-id')).toMatch(/@xn--mnchen-3ya\.example>$/);
  });

  it('is checked again when the message is sent', async () => {
    const domain = await addVerified(setup, acme, 'gone.example');
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const from = 'a@gone.example';
    const { id } = await send(acme, { contact_id: contactId, from, scheduled_at: at });
    await acme.call('remove_sender_domain', { domain_id: domain.id });
    await setup.switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
    const failed = await untilStatus(acme, id, 'failed');
    expect(failed).toMatchObject({
      reason_code: 'sender_unverified',
      status_reason: 'The domain of a@gone.example is not verified. See Settings, Sender domains.',
    });
  });
});

describe('the ownership of a domain', () => {
  it('is proved by each organization with its own record', async () => {
    const other = await createOrganization(setup.switchboard);
    const mine = await addVerified(setup, acme, 'shared.example');
    const theirs = await add(other, 'shared.example');
    expect(theirs.record_name).toBe(mine.record_name);
    expect(await verify(other, theirs.id)).toMatchObject({
      state: 'unverified',
      result: 'different',
    });
    expect(await faultOf(other, 'a@shared.example')).toMatchObject(REFUSED);
    publish(setup, theirs);
    expect(await verify(other, theirs.id)).toMatchObject({ state: 'verified' });
    expect(await verify(acme, mine.id)).toMatchObject({ state: 'verified' });
    const foreign = await other.call('verify_sender_domain', { domain_id: mine.id });
    expect(foreign.error).toMatchObject({ code: 'not_found' });
  });

  itSlow(
    'is not lost while no name server answers, and is lost 72 hours after the record was removed',
    async () => {
      const { switchboard, records } = setup;
      const domain = await addVerified(setup, acme, 'lost.example');
      const name = domain.record_name;
      const checks = switchboard.app.get(SenderDomainChecks);
      const checkDaily = async (): Promise<unknown> => {
        await switchboard.ownerQuery(
          'update sender_domains set next_check_at = now() where id = $1',
          [domain.id],
        );
        await checks.checkDue();
        const { value } = await acme.call<{ domains: { id: string }[] }>('list_sender_domains');
        return value.domains.find(({ id }) => id === domain.id);
      };
      const from = 'a@lost.example';
      records.set(name, null);
      expect(await checkDaily()).toMatchObject({ state: 'verified', result: 'unanswered' });
      records.delete(name);
      expect(await checkDaily()).toMatchObject({ state: 'failing', result: 'missing' });
      expect(await faultOf(acme, from)).toBeUndefined();
      await switchboard.ownerQuery(
        `update sender_domains set missing_since = now() - interval '73 hours' where id = $1`,
        [domain.id],
      );
      expect(await checkDaily()).toMatchObject({ state: 'lost' });
      expect(await faultOf(acme, from)).toMatchObject(REFUSED);
      publish(setup, domain);
      expect(await checkDaily()).toMatchObject({ state: 'verified' });
      expect(await faultOf(acme, from)).toBeUndefined();
    },
  );

  itSlow('is not looked up before the next check is due', async () => {
    const domain = await addVerified(setup, acme, 'later.example');
    const { asked } = setup.names;
    const before = asked.length;
    await setup.switchboard.app.get(SenderDomainChecks).checkDue();
    expect(asked.slice(before).filter(({ name }) => name.includes(domain.domain))).toEqual([]);
  });

  it('cannot be written by SQL of the tenant role', async () => {
    const rows = await setup.switchboard.ownerQuery(
      `select from information_schema.column_privileges
       where table_name = 'sender_domains' and privilege_type = 'UPDATE' and grantee like 'switchboard_tenant_%'`,
    );
    expect(rows).toEqual([]);
  });

  it('is not proved for another domain that gets the same id during the look-up', async () => {
    const hostile = await createOrganization(setup.switchboard);
    const own = await add(hostile, 'hostile.example');
    publish(setup, own);
    const swap = async (): Promise<void> => {
      setup.beforeAnswer = async () => undefined;
      await runSql(hostile, 'delete from sender_domains');
      await setup.switchboard.ownerQuery(
        `insert into sender_domains (organization_id, id, domain, token) values ($1, $2, 'acme.example', $3)`,
        [hostile.id, own.id, own.record_value.split('=')[1]],
      );
    };
    setup.beforeAnswer = swap;
    expect(await verify(hostile, own.id)).toMatchObject({
      domain: 'acme.example',
      state: 'unverified',
      result: null,
    });
    expect(await faultOf(hostile, 'a@acme.example')).toMatchObject(REFUSED);
  });

  it('is not proved by the public token of another organization, which SQL of a tool cannot store', async () => {
    const victim = await addVerified(setup, acme, 'victim.example');
    const token = victim.record_value.split('=')[1];
    const hostile = await createOrganization(setup.switchboard);
    const command = `{"organization_id":"${hostile.id}","id":"snd_forged","domain":"victim.example"}`;
    const outcomes = await runSql(
      hostile,
      `insert into sender_domains (organization_id, id, domain, token)
       values ('${hostile.id}', 'snd_forged', 'victim.example', '${token}')`,
    );
    const unsigned = await runSql(hostile, `select add_sender_domain('${command}', null)`);
    const verified = await hostile.call('verify_sender_domain', { domain_id: 'snd_forged' });
    expect(verified.error).toMatchObject({ code: 'not_found' });
    expect(await faultOf(hostile, 'a@victim.example')).toMatchObject(REFUSED);
    expect(outcomes).toEqual([{ error: expect.stringMatching(/^permission denied/) }]);
    expect(unsigned).toEqual([{ error: expect.stringMatching(/not signed by the service/) }]);
  });
});

describe('add_sender_domain', () => {
  it.each([
    'localhost',
    'acme',
    '192.0.2.1',
    'a@acme.example',
    'https://acme.example',
    '_x.acme.example',
    'acme..example',
    'acme.example\r\nx',
    'acme%2eexample',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(95)}example`,
  ])('rejects %j', async (domain) => {
    const { error } = await acme.call('add_sender_domain', { domain });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'domain' }] });
  });

  itSlow('returns the same domain again, and refuses more than 50 domains', async () => {
    const other = await createOrganization(setup.switchboard);
    const first = await add(other, 'acme.example');
    expect(await add(other, 'ACME.example')).toEqual(first);
    await setup.switchboard.ownerQuery(
      `insert into sender_domains (organization_id, id, domain, token)
       select $1, 'snd_' || n, n || '.example', 'token' from generate_series(1, 49) n`,
      [other.id],
    );
    const { error } = await other.call('add_sender_domain', { domain: 'more.example' });
    expect(error).toMatchObject({ code: 'conflict' });
  });

  it('can be called only by owners, and by no agent', async () => {
    const answer = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'add_sender_domain', arguments: { domain: 'acme.example' } },
    });
    expect(await answer.json()).toMatchObject({ error: { code: -32602 } });
  });
});
