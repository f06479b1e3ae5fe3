import { randomUUID } from 'node:crypto';
import type { TestOrganization } from './organization.js';
import { pendingConfirmation } from './pending-confirmation.js';
import type { RunningSwitchboard } from './switchboard.js';
import { uploadedImport } from './uploaded-import.js';

/** Creates the rows that a call needs, and returns arguments with which the call succeeds and changes data. */
type Example = (
  organization: TestOrganization,
  switchboard: RunningSwitchboard,
) => Promise<Record<string, unknown>>;

const STEPS = [{ id: 'find', tool: 'search_contacts', arguments: {} }];

const PRO = [{ field: 'properties.plan', operator: 'equals', value: 'pro' }];

const OFFER = {
  name: 'find_people',
  title: 'Find people',
  description: 'Finds the people of the organization.',
  input_schema: { type: 'object', properties: {} },
};

const PROVIDER = {
  channel: 'sms',
  kind: 'twilio',
  settings: { account_sid: 'AC0123456789', from: '+15005550006' },
  secret: 'token-of-the-account',
};

const VARIANTS = { en: { email: { subject: 'Hello', text: 'Hello' }, sms: { text: 'Hello' } } };

/** An example for every built-in tool that changes data. */
export const CHANGING_TOOLS: Record<string, Example> = {
  create_contact: async () => ({ email: unique(), first_name: 'Ada' }),
  update_contact: async (organization) => ({
    contact_id: await contact(organization),
    first_name: 'Grace',
    properties: { plan: 'pro' },
  }),
  // The contact has a message. The database sets the message's contact to null.
  delete_contact: async (organization) => {
    const { message } = await scheduled(organization);
    return { contact_id: message.contact_id };
  },
  add_contact_alias: async (organization) => ({
    contact_id: await contact(organization),
    email: unique(),
  }),
  remove_contact_alias: async (organization) => {
    const given = { contact_id: await contact(organization), email: unique() };
    await made(organization, 'add_contact_alias', given);
    return given;
  },
  merge_contacts: async (organization) => ({
    contact_id: await contact(organization),
    other_id: await contact(organization),
  }),
  unmerge_contacts: async (organization) => {
    const ids = { contact_id: await contact(organization), other_id: await contact(organization) };
    await made(organization, 'merge_contacts', ids);
    return { merged_id: ids.other_id };
  },
  set_property: async () => ({ name: 'seats', type: 'number' }),
  delete_property: async (organization) => {
    await made(organization, 'set_property', { name: 'gone', type: 'text' });
    return { name: 'gone' };
  },
  remove_unfit_values: async (organization) => {
    const contact = { email: unique(), properties: { old: 'text' } };
    await made(organization, 'create_contact', contact);
    return { name: 'old', type: 'number' };
  },
  set_contact_settings: async () => ({ region: 'DE' }),
  start_import: async (organization) => ({ import_id: await uploadedImport(organization) }),
  cancel_import: async (organization) => ({ import_id: await uploadedImport(organization) }),
  create_segment: async () => ({ name: unique(), filters: PRO }),
  update_segment: async (organization) => ({
    segment_id: await segment(organization, { filters: PRO }),
    filters: [{ field: 'tags', operator: 'contains', value: 'vip' }],
  }),
  delete_segment: async (organization) => ({ segment_id: await segment(organization) }),
  add_to_segment: async (organization) => ({
    segment_id: await segment(organization),
    contact_ids: [await contact(organization)],
  }),
  remove_from_segment: async (organization) => {
    const given = {
      segment_id: await segment(organization),
      contact_ids: [await contact(organization)],
    };
    await made(organization, 'add_to_segment', given);
    return given;
  },
  send_message: async (organization) => ({
    contact_id: await contact(organization),
    subject: 'Hello',
    body: 'Good morning.',
  }),
  cancel_message: async (organization) => ({
    message_id: (await scheduled(organization)).message.id,
  }),
  record_message: async (organization) => ({
    contact_id: await contact(organization),
    body: 'Good morning to you.',
    external_id: unique(),
  }),
  report_delivery: async (organization, switchboard) => {
    const { id } = (await scheduled(organization)).message;
    // Only a sent message accepts a report, and there may be no worker that sends it.
    const sql = `update messages set status = 'sent', sent_at = now() where id = $1`;
    await switchboard.ownerQuery(sql, [id]);
    return { message_id: id, outcome: 'delivered' };
  },
  create_template: async () => ({ name: templateName(), variants: VARIANTS }),
  update_template: async (organization) => ({
    template_id: await template(organization),
    description: 'For new customers',
    variants: { en: { sms: { text: 'Another text' } } },
  }),
  delete_template: async (organization) => ({ template_id: await template(organization) }),
  publish_template: async (organization) => ({ template_id: await template(organization) }),
  restore_template_version: async (organization) => {
    const id = await template(organization);
    await made(organization, 'publish_template', { template_id: id });
    const variants = { en: { sms: { text: 'Another text' } } };
    await made(organization, 'update_template', { template_id: id, variants });
    return { template_id: id, version: 1 };
  },
  create_snippet: async () => ({ name: templateName(), content: 'Kind regards' }),
  update_snippet: async (organization) => ({
    snippet_id: await snippet(organization),
    content: 'Best regards',
  }),
  delete_snippet: async (organization) => ({ snippet_id: await snippet(organization) }),
  set_sending_rules: async () => ({ caps: [{ channel: 'sms', most: 1, window_seconds: 60 }] }),
  suppress_address: async () => ({ address: unique() }),
  remove_suppression: async (organization) => {
    const given = { address: unique() };
    await made(organization, 'suppress_address', given);
    return given;
  },
  create_topic: async () => ({ name: 'offers', title: 'Offers', default: 'opted_in' }),
  update_topic: async (organization) => ({ name: await topic(organization), title: 'Events' }),
  delete_topic: async (organization) => ({ name: await topic(organization) }),
  set_topic_subscription: async (organization) => ({
    contact_id: await contact(organization),
    topic: await topic(organization),
    subscribed: true,
    evidence: { text: 'Asked for it on the phone.' },
  }),
  emit_event: async (organization) => {
    await workflow(organization, true, { type: 'event', event: 'custom.example' });
    return { event: 'custom.example', data: { number: 1 } };
  },
  create_workflow: async () => ({ name: 'Find', trigger: { type: 'webhook' }, steps: STEPS }),
  update_workflow: async (organization) => ({
    workflow_id: await workflow(organization, true),
    steps: [{ id: 'other', tool: 'search_contacts', arguments: {} }],
  }),
  restore_workflow_version: async (organization) => {
    const id = await workflow(organization, true);
    await made(organization, 'update_workflow', { workflow_id: id, steps: [] });
    return { workflow_id: id, version: 1 };
  },
  rotate_webhook_secret: async (organization) => ({
    workflow_id: await workflow(organization, true, { type: 'webhook' }),
  }),
  activate_workflow: async (organization) => ({
    workflow_id: await workflow(organization, false),
  }),
  deactivate_workflow: async (organization) => ({
    workflow_id: await workflow(organization, true),
  }),
  delete_workflow: async (organization) => ({ workflow_id: await workflow(organization, true) }),
  trigger_workflow: async (organization) => ({
    workflow_id: await workflow(organization, true),
    payload: { plan: 'pro' },
  }),
  cancel_run: async (organization) => ({ run_id: await run(organization) }),
  retry_run: async (organization) => {
    const id = await run(organization);
    await made(organization, 'cancel_run', { run_id: id });
    return { run_id: id };
  },
  replay_run: async (organization) => ({ run_id: await run(organization) }),
  bulk_cancel_runs: async (organization) => ({
    workflow_id: await workflowWithRuns(organization),
  }),
  bulk_retry_runs: async (organization) => {
    const given = { workflow_id: await workflowWithRuns(organization) };
    await made(organization, 'bulk_cancel_runs', given);
    return { ...given, status: 'canceled' };
  },
  bulk_replay_runs: async (organization) => ({
    workflow_id: await workflowWithRuns(organization),
  }),
  set_retention: async () => ({ runs_days: 30, audit_log_days: 365 }),
  set_secret: async () => ({ name: 'api_key', secret: 'a value', hosts: ['api.example.com'] }),
  delete_secret: async (organization) => {
    const given = { name: 'deleted', secret: 'a value', hosts: ['api.example.com'] };
    await made(organization, 'set_secret', given);
    return { name: 'deleted' };
  },
  create_channel_provider: async () => PROVIDER,
  update_channel_provider: async (organization) => ({
    provider_id: await channelProvider(organization),
    name: 'Second account',
  }),
  delete_channel_provider: async (organization) => ({
    provider_id: await channelProvider(organization),
  }),
  add_sender_domain: async () => ({ domain: 'acme.example' }),
  rotate_sender_key: async (organization, switchboard) => {
    const domainId = await senderDomain(organization);
    await switchboard.ownerQuery(`update sender_keys set state = 'current' where domain_id = $1`, [
      domainId,
    ]);
    return { domain_id: domainId };
  },
  remove_sender_domain: async (organization) => ({ domain_id: await senderDomain(organization) }),
  resolve_message: async (organization, switchboard) => {
    const { message } = await scheduled(organization);
    await switchboard.ownerQuery(`update messages set status = 'uncertain' where id = $1`, [
      message.id,
    ]);
    return { message_id: message.id, outcome: 'failed' };
  },
  offer_workflow_as_tool: async (organization) => ({
    workflow_id: await workflow(organization, true),
    ...OFFER,
  }),
  withdraw_workflow_tool: async (organization) => {
    const given = { workflow_id: await workflow(organization, true) };
    await made(organization, 'offer_workflow_as_tool', { ...given, ...OFFER, name: 'find_all' });
    return given;
  },
  approve_confirmation: async (organization) => ({
    confirmation_id: await pendingConfirmation(organization),
  }),
  decline_confirmation: async (organization) => ({
    confirmation_id: await pendingConfirmation(organization),
  }),
  set_tool_policy: async () => ({ tool: 'list_messages', hidden: true }),
};

let counter = 0;

function unique(): string {
  counter += 1;
  return `example${counter}@example.com`;
}

async function contact(organization: TestOrganization): Promise<string> {
  const result = await made<{ contact: { id: string } }>(organization, 'create_contact', {
    email: unique(),
  });
  return result.contact.id;
}

async function segment(organization: TestOrganization, more: object = {}): Promise<string> {
  const given = { name: unique(), ...more };
  const result = await made<{ segment: { id: string } }>(organization, 'create_segment', given);
  return result.segment.id;
}

async function topic(organization: TestOrganization): Promise<string> {
  counter += 1;
  const given = { name: `topic-${counter}`, title: 'News' };
  return (await made<{ topic: { name: string } }>(organization, 'create_topic', given)).topic.name;
}

async function scheduled(
  organization: TestOrganization,
): Promise<{ message: { id: string; contact_id: string } }> {
  return await made(organization, 'send_message', {
    contact_id: await contact(organization),
    subject: 'Later',
    body: 'Good evening.',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
}

async function channelProvider(organization: TestOrganization): Promise<string> {
  const given = { ...PROVIDER, name: unique() };
  return (await made<{ provider: { id: string } }>(organization, 'create_channel_provider', given))
    .provider.id;
}

const templateName = (): string => `name_${randomUUID().slice(0, 8)}`;

async function template(organization: TestOrganization): Promise<string> {
  const given = { name: templateName(), variants: VARIANTS };
  return (await made<{ template: { id: string } }>(organization, 'create_template', given)).template
    .id;
}

async function snippet(organization: TestOrganization): Promise<string> {
  const given = { name: templateName(), content: 'Kind regards' };
  return (await made<{ snippet: { id: string } }>(organization, 'create_snippet', given)).snippet
    .id;
}

async function senderDomain(organization: TestOrganization): Promise<string> {
  const given = { domain: `${randomUUID()}.example` };
  return (await made<{ domain: { id: string } }>(organization, 'add_sender_domain', given)).domain
    .id;
}

async function workflow(
  organization: TestOrganization,
  active: boolean,
  trigger: object = { type: 'manual' },
): Promise<string> {
  const result = await made<{ workflow: { id: string } }>(organization, 'create_workflow', {
    name: 'Find',
    trigger,
    steps: STEPS,
    active,
  });
  return result.workflow.id;
}

async function run(organization: TestOrganization): Promise<string> {
  const workflowId = await workflow(organization, true);
  const given = { workflow_id: workflowId };
  return (await made<{ run_id: string }>(organization, 'trigger_workflow', given)).run_id;
}

async function workflowWithRuns(organization: TestOrganization): Promise<string> {
  const id = await workflow(organization, true);
  for (let count = 0; count < 2; count += 1) {
    await made(organization, 'trigger_workflow', { workflow_id: id });
  }
  return id;
}

async function made<T>(organization: TestOrganization, tool: string, given: object): Promise<T> {
  const { value, error } = await organization.call<T>(tool, given);
  if (error) throw new Error(`${tool}: ${error.message}`);
  return value;
}
