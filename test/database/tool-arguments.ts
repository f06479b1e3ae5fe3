import { randomUUID } from 'node:crypto';
import type { TestOrganization } from '../support/organization.js';
import { pendingConfirmation } from '../support/pending-confirmation.js';
import { uploadedImport } from '../support/uploaded-import.js';
import { exampleOf, type FieldSchema } from './example-of.js';

/** The properties of a tool from which arguments are generated. */
export interface Descriptor {
  name: string;
  inputSchema: { properties: Record<string, FieldSchema>; required?: string[] };
}

/** Lists arguments that refer to rows although their names do not end in `_id`. */
const OTHER_REFERENCES = new Set<string>(['id']);
/** Lists arguments that end in `_id` but contain free text of the caller. */
const NO_REFERENCES = new Set(['external_id', 'client_id']);
/** The additional arguments that a call needs before it looks up the reference. */
const ALSO: Record<string, Record<string, unknown>> = {
  send_message: { subject: 'Hello', body: 'Hello' },
  set_secret: { secret: 'a value' },
  create_channel_provider: {
    channel: 'sms',
    kind: 'twilio',
    settings: { account_sid: 'AC0123456789', from: '+15005550006' },
    secret: 'a-value',
  },
  test_channel_provider: { to: '+4930123456' },
  add_contact_alias: { email: 'alias@example.com' },
  remove_contact_alias: { email: 'alias@example.com' },
  create_topic: { name: 'events' },
  suppress_address: { address: 'suppressed@example.com' },
  bulk_cancel_runs: { status: 'unfinished' },
  bulk_retry_runs: { status: 'failed' },
  bulk_replay_runs: { status: 'finished' },
};
/** The arguments that a call with this reference needs in place of the arguments in ALSO. */
const ALSO_WITH: Record<string, (ids: Ids) => Promise<Record<string, unknown>>> = {
  'send_message.template_id': async (ids) => ({ contact_id: await ids.of('contact_id') }),
};
/** The argument values that cannot be generated from a schema. */
const ARGUMENTS: Record<string, unknown> = {
  trigger: { type: 'manual' },
  steps: [{ id: 'find', tool: 'search_contacts', arguments: {} }],
  tool: 'list_runs',
  event: 'custom.example',
  topic: 'news',
  contact_ids: ['con_unknown'],
};

/** Lists functions by the name of an argument. Each function creates a row to which this argument can refer. */
const MAKERS: Record<string, (organization: TestOrganization, ids: Ids) => Promise<string>> = {
  contact_id: async (organization) => {
    // Each call of argumentsFor needs a new contact.
    const given = { email: 'somebody@example.com', on_conflict: 'update' };
    return (await made<{ contact: { id: string } }>(organization, 'create_contact', given)).contact
      .id;
  },
  other_id: async (organization) => {
    const given = { email: 'other@example.com', on_conflict: 'update' };
    return (await made<{ contact: { id: string } }>(organization, 'create_contact', given)).contact
      .id;
  },
  merged_id: async (organization, ids) => {
    const given = { email: `merged.${randomUUID()}@example.com` };
    const { contact } = await made<{ contact: { id: string } }>(
      organization,
      'create_contact',
      given,
    );
    const pair = { contact_id: await ids.of('contact_id'), other_id: contact.id };
    await made(organization, 'merge_contacts', pair);
    return contact.id;
  },
  workflow_id: async (organization) => {
    const given = { name: 'Find', trigger: ARGUMENTS.trigger, steps: ARGUMENTS.steps };
    return (await made<{ workflow: { id: string } }>(organization, 'create_workflow', given))
      .workflow.id;
  },
  run_id: async (organization, ids) => {
    const given = { workflow_id: await ids.of('workflow_id') };
    return (await made<{ run_id: string }>(organization, 'trigger_workflow', given)).run_id;
  },
  message_id: async (organization, ids) => {
    const given = {
      contact_id: await ids.of('contact_id'),
      body: 'Hello',
      subject: 'Hello',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    return (await made<{ message: { id: string } }>(organization, 'send_message', given)).message
      .id;
  },
  provider_id: async (organization) => {
    const given = ALSO.create_channel_provider!;
    return (
      await made<{ provider: { id: string } }>(organization, 'create_channel_provider', given)
    ).provider.id;
  },
  domain_id: async (organization) => {
    const given = { domain: 'acme.example' };
    return (await made<{ domain: { id: string } }>(organization, 'add_sender_domain', given)).domain
      .id;
  },
  segment_id: async (organization) => {
    const name = `Segment ${Math.random()}`;
    return (await made<{ segment: { id: string } }>(organization, 'create_segment', { name }))
      .segment.id;
  },
  template_id: async (organization) => {
    const variants = { en: { email: { subject: 'Hello', text: 'Hello' }, sms: { text: 'Hello' } } };
    const given = { name: `template_${randomUUID().slice(0, 8)}`, variants };
    const { template } = await made<{ template: { id: string } }>(
      organization,
      'create_template',
      given,
    );
    await made(organization, 'publish_template', { template_id: template.id });
    return template.id;
  },
  snippet_id: async (organization) => {
    const given = { name: `snippet_${randomUUID().slice(0, 8)}`, content: 'Hello' };
    return (await made<{ snippet: { id: string } }>(organization, 'create_snippet', given)).snippet
      .id;
  },
  import_id: uploadedImport,
  confirmation_id: pendingConfirmation,
  caller_id: async ({ userId }) => userId,
  request_id: async ({ userId }) => `req_${userId}`,
  step_id: async () => 'find',
};

/** Holds rows of an organization, one of each kind. Each is created at first use. */
export class Ids {
  private readonly known = new Map<string, Promise<string>>();

  constructor(private readonly organization: TestOrganization) {}

  of(argument: string): Promise<string> {
    const make = MAKERS[argument];
    if (!make) throw new Error(`No maker for ${argument}: add one to MAKERS in tool-arguments.ts.`);
    const id = this.known.get(argument) ?? make(this.organization, this);
    this.known.set(argument, id);
    return id;
  }
}

export function isReference(argument: string): boolean {
  if (OTHER_REFERENCES.has(argument)) return true;
  return argument.endsWith('_id') && !NO_REFERENCES.has(argument);
}

/** Returns valid required arguments with ids of the calling organization. The caller adds `reference` itself. */
export async function argumentsFor(
  tool: Descriptor,
  ids: Ids,
  reference?: string,
): Promise<Record<string, unknown>> {
  const also = await ALSO_WITH[`${tool.name}.${reference}`]?.(ids);
  const given: Record<string, unknown> = { ...(also ?? ALSO[tool.name]) };
  for (const argument of tool.inputSchema.required ?? []) {
    if (Object.hasOwn(given, argument)) continue;
    if (isReference(argument)) given[argument] = await ids.of(argument);
    else if (Object.hasOwn(ARGUMENTS, argument)) given[argument] = ARGUMENTS[argument];
    else
      given[argument] = exampleOf(
        tool.inputSchema.properties[argument]!,
        `${tool.name}.${argument}`,
      );
  }
  return given;
}

/** Returns each optional argument of the tool alone, with every relevant value that can be generated. */
export async function optionsOf(tool: Descriptor, ids: Ids): Promise<Record<string, unknown>[]> {
  const options: Record<string, unknown>[] = [];
  for (const [argument, schema] of Object.entries(tool.inputSchema.properties)) {
    if (tool.inputSchema.required?.includes(argument)) continue;
    for (const value of await valuesOf(argument, schema, ids)) options.push({ [argument]: value });
  }
  return options;
}

async function valuesOf(argument: string, schema: FieldSchema, ids: Ids): Promise<unknown[]> {
  if (isReference(argument)) return [await ids.of(argument)];
  if (Object.hasOwn(ARGUMENTS, argument)) return [ARGUMENTS[argument]];
  if (schema.type === 'boolean') return [true, false];
  if (schema.enum) return schema.enum;
  try {
    return [exampleOf(schema, argument)];
  } catch {
    return [];
  }
}

async function made<T>(organization: TestOrganization, tool: string, given: object): Promise<T> {
  const { value, error } = await organization.call<T>(tool, given);
  if (error) throw new Error(`${tool} failed: ${error.message}`);
  return value;
}
