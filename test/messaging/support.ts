import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEml } from './parse-eml.js';
import type { TestOrganization } from '../support/organization.js';
import type { RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

export interface TestMessage {
  id: string;
  contact_id: string | null;
  subject: string;
  body: string;
  status: string;
  status_reason: string | null;
  reason_code: string | null;
  to: string;
  idempotency_key: string | null;
  run_id: string | null;
  scheduled_at: string | null;
  sent_at: string | null;
  created_at: string;
}

let counter = 0;

/** Creates a contact, by default with a unique e-mail address. */
export async function createContact(
  organization: TestOrganization,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; email: string }> {
  counter += 1;
  const email = `person${counter}@example.com`;
  const { value, error } = await organization.call<{ contact: { id: string; email: string } }>(
    'create_contact',
    { email, ...fields },
  );
  if (error) throw new Error(error.message);
  return value.contact;
}

export async function send(
  organization: TestOrganization,
  fields: Record<string, unknown>,
): Promise<TestMessage> {
  const { value, error } = await organization.call<{ message: TestMessage }>('send_message', {
    subject: 'Hello',
    body: 'Good morning.',
    ...fields,
  });
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return value.message;
}

export async function getMessage(organization: TestOrganization, id: string): Promise<TestMessage> {
  const { value } = await organization.call<{ message: TestMessage }>('get_message', {
    message_id: id,
  });
  return value.message;
}

/** Returns the text of a message as it is sent. Tools hide the signatures of its links. */
export async function storedBody(switchboard: RunningSwitchboard, id: string): Promise<string> {
  const sql = 'select body from messages where id = $1';
  const [row] = (await switchboard.ownerQuery(sql, [id])) as [{ body: string }];
  return row.body;
}

export function untilStatus(
  organization: TestOrganization,
  id: string,
  status: string,
): Promise<TestMessage> {
  return waitFor(async () => {
    const message = await getMessage(organization, id);
    return message.status === status ? message : undefined;
  });
}

export async function readEml(switchboard: RunningSwitchboard, id: string) {
  return parseEml(await readFile(join(switchboard.dataDir, 'outbox', `${id}.eml`), 'utf8'));
}

export async function listOutbox(switchboard: RunningSwitchboard): Promise<string[]> {
  return await readdir(join(switchboard.dataDir, 'outbox')).catch(() => []);
}
