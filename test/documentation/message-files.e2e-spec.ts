import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { publish, startWithNames, verify, type TestDomain } from '../senders/sender.js';
import { createOrganization } from '../support/organization.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/messaging.md'), 'utf8');
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('docs/messaging.md has examples of senders and attachments that work', async () => {
  const blocks = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
    ([, text]) => JSON.parse(text!) as Record<string, unknown>,
  );
  const [html, domain, from, uploaded, attached] = blocks;
  const setup = await startWithNames();
  try {
    const acme = await createOrganization(setup.switchboard);
    await createContact(acme, { email: 'ada@example.com', first_name: 'Ada' });
    const succeeds = async (tool: string, given: unknown): Promise<Record<string, unknown>> => {
      const { value, error } = await acme.call<Record<string, unknown>>(tool, given);
      expect(error, tool).toBeUndefined();
      return value;
    };
    await succeeds('send_message', html);
    const added = (await succeeds('add_sender_domain', domain)).domain as TestDomain;
    expect(PAGE).toContain(added.record_name);
    publish(setup, added);
    expect(await verify(acme, added.id)).toMatchObject({ state: 'verified' });
    await succeeds('send_message', from);
    const answer = await fetch(`${setup.switchboard.url}/api/files?name=logo.png`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'image/png' },
      body: PIXEL,
    });
    const { file } = (await answer.json()) as { file: { id: string } };
    expect({ file }).toMatchObject(uploaded!);
    const attachments = (attached!.attachments as object[]).map((one) => ({
      ...one,
      file_id: file.id,
    }));
    await succeeds('send_message', { ...attached, attachments });
  } finally {
    await setup.close();
  }
});
