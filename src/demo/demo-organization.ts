import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { randomBase62 } from '../text/ids.js';
import { AppError } from '../errors/app-error.js';
import { KeysService } from '../keys/keys.service.js';
import { ToolPolicies } from '../policies/tool-policies.js';
import { SILENT_CALLER } from '../tools/contract/tool-call.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';

const OWNER_EMAIL = 'owner@demo.localhost';

/** The credentials with which to try a new Switchboard. They are shown once and not stored. */
export interface DemoOrganization {
  email: string;
  password: string;
  apiKey: string;
  contactEmail: string;
  workflow: { webhookUrl: string; secret: string };
}

/** Creates an organization with an owner, an API key, a contact and an active webhook workflow. */
export async function createDemoOrganization(
  app: INestApplicationContext,
): Promise<DemoOrganization> {
  const password = randomBase62(16);
  const account = await signUp(app.get(AccountsService), password);
  const registry = app.get(ToolRegistry);
  const call = async <T>(name: string, given: object): Promise<T> => {
    const tool = registry.find(name, 'dashboard', ToolPolicies.NONE);
    if (!tool) throw new Error(`The tool ${name} does not exist.`);
    return (await registry.call(tool, given, {
      ...SILENT_CALLER,
      organizationId: account.organizationId,
      surface: 'dashboard',
      actor: { kind: 'user', id: account.userId },
      signal: new AbortController().signal,
    })) as T;
  };
  const contactEmail = 'ada@example.com';
  await call('create_contact', { email: contactEmail, first_name: 'Ada', last_name: 'Lovelace' });
  const { workflow, secret } = await call<{ workflow: { webhook_url: string }; secret: string }>(
    'create_workflow',
    WELCOME_WORKFLOW,
  );
  const apiKey = await app.get(KeysService).create(account.organizationId, account.userId);
  return {
    email: account.email,
    password,
    apiKey,
    contactEmail,
    workflow: { webhookUrl: workflow.webhook_url, secret },
  };
}

const WELCOME_WORKFLOW = {
  name: 'Welcome',
  active: true,
  trigger: { type: 'webhook', secret: true },
  steps: [
    {
      id: 'person',
      tool: 'create_contact',
      arguments: {
        email: '{{ trigger.payload.email }}',
        first_name: '{{ trigger.payload.first_name }}',
        on_conflict: 'update',
      },
    },
    {
      id: 'paid',
      if: "trigger.payload.plan == 'pro'",
      then: [
        {
          id: 'greet',
          tool: 'send_message',
          arguments: {
            contact_id: '{{ person.id }}',
            subject: 'Welcome, {{ person.first_name }}',
            body: 'Hello {{ person.first_name }}, thank you for choosing the pro plan.',
          },
        },
      ],
      else: [],
    },
  ],
};

/**
 * Creates the owner. Uses another address if an interrupted start has already created an owner, because nobody has seen
 * the password of that owner.
 */
async function signUp(accounts: AccountsService, password: string) {
  const body = { email: OWNER_EMAIL, password, organization_name: 'Demo' };
  try {
    return await accounts.signUp(body);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'email_taken') throw error;
    const email = `owner-${randomBase62(6).toLowerCase()}@demo.localhost`;
    return await accounts.signUp({ ...body, email });
  }
}
