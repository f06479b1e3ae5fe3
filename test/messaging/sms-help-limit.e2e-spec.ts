import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createContact, type TestMessage } from './support.js';

const SMS_HELP = 'Acme: write to help@example.com. Reply STOP to end these messages.';

describe('a text message that asks for help again', () => {
  let here: Switchboard;
  let there: Switchboard;
  let acme: TestOrganization;
  let number = 0;

  beforeAll(async () => {
    here = await startSwitchboard({ env: { ROLE: 'web' } });
    there = await startSwitchboard({ env: { ROLE: 'web' }, databaseUrl: here.databaseUrl });
    acme = await createOrganization(here);
    await acme.call('create_channel_provider', {
      channel: 'sms',
      name: 'Test',
      kind: 'twilio',
      settings: { account_sid: 'AC0123456789', from: '+15005550006' },
      secret: 'a-value',
    });
    await acme.call('set_contact_settings', { sms_help: SMS_HELP });
  });
  afterAll(async () => {
    await there.close();
    await here.close();
  });

  const person = async (): Promise<string> => {
    number += 1;
    return (await createContact(acme, { phone: `+4930123${1000 + number}` })).id;
  };
  const receive = async (contact_id: string, body: string, { url } = here): Promise<void> => {
    const answer = await fetch(`${url}/api/tools/record_message`, {
      method: 'POST',
      headers: { Cookie: acme.cookie, Origin: url, 'Content-Type': 'application/json' },
      body: JSON.stringify({ contact_id, channel: 'sms', body }),
    });
    expect(answer.status).toBe(200);
  };
  const repliesTo = async (contact_id: string): Promise<string[]> => {
    const given = { contact_id, limit: 100 };
    const { value } = await acme.call<{ messages: (TestMessage & { direction: string })[] }>(
      'list_messages',
      given,
    );
    return value.messages
      .filter(({ direction }) => direction === 'outbound')
      .map(({ body }) => body);
  };

  it('is recorded and gets no second answer within an hour', async () => {
    const [first, second] = [await person(), await person()];
    for (const word of ['HELP', 'help', 'INFO']) await receive(first, word);
    expect(await repliesTo(first)).toEqual([SMS_HELP]);
    await receive(second, 'HELP');
    expect(await repliesTo(second)).toEqual([SMS_HELP]);
    const { value } = await acme.call<{ messages: object[] }>('list_messages', {
      contact_id: first,
    });
    expect(value.messages).toHaveLength(4);

    await here.ownerQuery(
      `update messages set created_at = created_at - interval '61 minutes' where contact_id = $1`,
      [first],
    );
    await receive(first, 'HELP');
    expect(await repliesTo(first)).toEqual([SMS_HELP, SMS_HELP]);
  });

  it('is answered once when two processes get it many times at the same moment', async () => {
    const id = await person();
    await Promise.all(
      [here, there, here, there, here, there].map((process) => receive(id, 'HELP', process)),
    );
    expect(await repliesTo(id)).toEqual([SMS_HELP]);
  });

  it('does not prevent STOP and START from taking effect, and STOP and START get no answer', async () => {
    const id = await person();
    const sources: string[] = [];
    for (const word of ['HELP', 'STOP', 'HELP', 'START', 'STOP', 'START', 'STOP']) {
      await receive(id, word);
      if (word !== 'HELP') sources.unshift(`sms_${word.toLowerCase()}`);
    }
    expect(await repliesTo(id)).toEqual([SMS_HELP]);
    const { value } = await acme.call<{ changes: { source: string }[] }>('list_consent_changes', {
      contact_id: id,
    });
    expect(value.changes.map(({ source }) => source)).toEqual(sources);
  });
});
