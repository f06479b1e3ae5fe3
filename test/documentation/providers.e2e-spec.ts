import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, runUntil } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/providers.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as { name: string; trigger: object; steps: object[] },
);

describe('docs/providers.md', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const save = async (name: string): Promise<string> => {
    const { steps, ...more } = EXAMPLES.find((example) => example.name === name)!;
    return (await createWorkflow(acme, steps, more)).id;
  };

  it('has an example that records each reply once', async () => {
    const id = await save('Replies');
    const payload = {
      FromName: 'Ada Lovelace',
      From: 'ada@example.com',
      FromFull: { Email: 'Ada@Example.com', Name: 'Ada Lovelace', MailboxHash: '' },
      To: '"Support" <support@acme.example>',
      OriginalRecipient: 'support@acme.example',
      Subject: 'Re: {{ Hello }}',
      MessageID: '73e6d360-66eb-11e1-8e72-a8904824019b',
      TextBody: 'Yes, {% please %}.\n',
    };
    for (let round = 0; round < 2; round += 1) {
      const { body } = await postWebhook(switchboard, id, payload);
      const run = await runUntil(acme, body.runId, 'succeeded', 'failed');
      expect(run.status).toBe('succeeded');
    }
    const { value } = await acme.call<{ messages: object[] }>('list_messages');
    expect(value.messages).toMatchObject([
      {
        direction: 'inbound',
        status: 'received',
        to: 'support@acme.example',
        subject: 'Re: {{ Hello }}',
        body: 'Yes, {% please %}.\n',
      },
    ]);
  });

  it('has an example that reports deliveries and bounces, and ignores other events', async () => {
    const id = await save('Deliveries');
    const sent = async (): Promise<string> => {
      const contact = await createContact(acme);
      const message = await send(acme, { contact_id: contact.id });
      return (await untilStatus(acme, message.id, 'sent')).id;
    };
    const [arrived, bounced] = [await sent(), await sent()];
    const tell = (messageId: string, data: object) =>
      postWebhook(switchboard, id, {
        signature: { token: 'a', timestamp: '1', signature: 'b' },
        'event-data': { message: { headers: { 'message-id': messageId } }, ...data },
      });
    const opened = await tell(`${arrived}@localhost`, { event: 'opened' });
    expect(opened.body).toEqual({ ok: true, skipped: true });
    await tell(`${arrived}@localhost`, { event: 'delivered', 'delivery-status': { code: 250 } });
    await tell(`${bounced}@localhost`, {
      event: 'failed',
      severity: 'permanent',
      'delivery-status': { code: 550, message: 'No such mailbox here' },
    });
    await untilStatus(acme, arrived, 'delivered');
    const failed = await untilStatus(acme, bounced, 'failed');
    expect(failed.status_reason).toContain('No such mailbox here');
  });
});
