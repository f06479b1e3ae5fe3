import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { withNewKey } from '../support/with-new-key.js';
import { callTool, said } from './support/offer-client.js';
import { createWorkflow } from './support/workflow-client.js';

/** Pairs of a tool and a step with the same effect: the tool, the tool of the step and its arguments. */
const SAME_EFFECTS: readonly (readonly [string, string, object])[] = [
  ['create_contact', 'set_run_contact', { contact: { email: 'a@example.com' } }],
  ['update_contact', 'set_run_contact', { contact: { email: 'a@example.com' } }],
  ['create_contact', 'start_import', { import_id: 'imp_1', mapping: {} }],
  ['update_contact', 'create_contact', { email: 'a@example.com', on_conflict: 'update' }],
  ['update_contact', 'create_contact', { on_conflict: '{{ trigger.payload.how }}' }],
  ['update_contact', 'merge_contacts', { contact_id: 'con_1', other_id: 'con_2' }],
  ['delete_contact', 'merge_contacts', { contact_id: 'con_1', other_id: 'con_2' }],
  ['create_contact', 'unmerge_contacts', { merged_id: 'con_2' }],
  ['update_contact', 'unmerge_contacts', { merged_id: 'con_2' }],
  ['update_contact', 'add_contact_alias', { contact_id: 'con_1', email: 'a@example.com' }],
  ['update_contact', 'remove_contact_alias', { contact_id: 'con_1', email: 'a@example.com' }],
  ['update_contact', 'record_message', { contact_id: 'con_1', channel: 'sms', body: 'START' }],
  ['send_message', 'record_message', { contact_id: 'con_1', channel: 'sms', body: 'HELP' }],
  ['send_message', 'set_topic_subscription', subscription(true)],
  ['send_message', 'resolve_message', { message_id: 'msg_1', outcome: 'resend' }],
  ['suppress_address', 'report_delivery', { message_id: 'msg_1', outcome: 'complained' }],
  ['suppress_address', 'report_delivery', { message_id: 'msg_1', outcome: 'bounced' }],
  ['update_template', 'restore_template_version', { template_id: 'tpl_1', version: 1 }],
];

const STEP = { id: 'made', tool: 'create_contact', arguments: { email: 'step@example.com' } };

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const withKey = (options: object) => withNewKey(acme, options);

const agent = async (name: string, given: object, by = acme): Promise<unknown> =>
  said(await callTool(by, name, given));
const protect = async (tool: string, policy: object): Promise<void> => {
  expect((await acme.call('set_tool_policy', { tool, ...policy })).status).toBe(200);
};
const withStep = (tool: string, given: object): object => ({
  name: 'Used',
  trigger: { type: 'manual' },
  steps: [{ id: 'used', tool, arguments: given }],
});
const refusal = (path: string, why: string): object => ({
  error: {
    code: 'invalid_arguments',
    details: [{ path, message: expect.stringContaining(why) as string }],
  },
});
const starting = (id: string): object => ({
  name: 'Starter',
  trigger: { type: 'webhook' },
  steps: [{ id: 'go', run_workflow: id }],
});

describe('an agent', () => {
  it.each([
    ['needs an approval to start workflows', { confirmation: 'always' }],
    ['has no tool that starts workflows', { hidden: true }],
  ])('starts no workflow by a step when it %s', async (_case, policy) => {
    const { id } = await createWorkflow(acme, [STEP], { trigger: { type: 'manual' } });
    const allowed = await agent('create_workflow', starting(id));
    expect(allowed).toMatchObject({ workflow: { active: true } });
    await protect('trigger_workflow', policy);
    const refused = refusal('steps[0].run_workflow', 'trigger_workflow');
    expect(await agent('create_workflow', starting(id))).toMatchObject(refused);
    expect((await acme.call('create_workflow', starting(id))).status).toBe(200);
  });

  it.each([
    ['http_request', 'http_request', { url: 'https://example.com' }] as const,
    ...SAME_EFFECTS,
  ])(
    'when calls of %s must be confirmed, saves no step that uses %s',
    async (tool, used, given) => {
      const definition = withStep(used, given);
      expect(await agent('create_workflow', definition)).toHaveProperty('workflow');
      await protect(tool, { confirmation: 'always' });
      const refused = refusal('steps[0].tool', 'must be confirmed');
      expect(await agent('create_workflow', definition)).toMatchObject(refused);
      expect((await acme.call('create_workflow', definition)).status).toBe(200);
    },
  );

  it.each(SAME_EFFECTS)(
    'when %s is hidden, saves no step that uses %s',
    async (tool, used, given) => {
      await protect(tool, { hidden: true });
      const definition = withStep(used, given);
      const refused = refusal('steps[0].tool', 'does the same as a hidden tool');
      expect(await agent('create_workflow', definition)).toMatchObject(refused);
      expect((await acme.call('create_workflow', definition)).status).toBe(200);
    },
  );

  it.each([
    ['update_contact', 'create_contact', { email: 'a@example.com', on_conflict: 'error' }],
    ['update_contact', 'record_message', { contact_id: 'con_1', body: 'START' }],
    ['send_message', 'set_topic_subscription', subscription(false)],
    ['send_message', 'resolve_message', { message_id: 'msg_1', outcome: 'failed' }],
    ['suppress_address', 'report_delivery', { message_id: 'msg_1', outcome: 'delivered' }],
    ['suppress_address', 'report_delivery', { message_id: 'msg_1', outcome: 'failed' }],
  ])(
    'when %s is hidden, saves a step that uses %s with arguments that have another effect',
    async (tool, used, given) => {
      await protect(tool, { hidden: true });
      expect(await agent('create_workflow', withStep(used, given))).toHaveProperty('workflow');
    },
  );

  it('saves no trigger that stores a contact when a person must confirm steps that store contacts', async () => {
    await protect('set_run_contact', { confirmation: 'always' });
    const contact = { email: '{{ trigger.payload.email }}' };
    const trigger = { type: 'webhook', contact };
    const steps = [{ id: 'pause', wait: { seconds: 1 } }];
    const given = { name: 'Mapped', trigger, steps };
    const refused = refusal('trigger.contact', 'must be confirmed');
    expect(await agent('create_workflow', given)).toMatchObject(refused);
    expect((await acme.call('create_workflow', given)).status).toBe(200);
  });

  it.each([
    ['set_run_contact', 'is hidden'],
    ['update_contact', 'does the same as a hidden tool'],
  ])('saves no trigger that stores a contact when %s is hidden', async (tool, why) => {
    await protect(tool, { hidden: true });
    const trigger = { type: 'webhook', contact: { email: '{{ trigger.payload.email }}' } };
    const given = { name: 'Mapped', trigger, steps: [{ id: 'pause', wait: { seconds: 1 } }] };
    const refused = refusal('trigger.contact', why);
    expect(await agent('create_workflow', given)).toMatchObject(refused);
    expect((await acme.call('create_workflow', given)).status).toBe(200);
  });

  it('saves no new trigger for a workflow with a step that a person must confirm', async () => {
    const { id } = await createWorkflow(acme, [STEP], { trigger: { type: 'manual' } });
    await protect('create_contact', { confirmation: 'always' });
    const given = { workflow_id: id, trigger: { type: 'webhook' } };
    const refused = refusal('trigger', 'create_contact');
    expect(await agent('update_workflow', given)).toMatchObject(refused);
    const renamed = await agent('update_workflow', { workflow_id: id, name: 'Renamed' });
    expect(renamed).toMatchObject({ workflow: { name: 'Renamed', trigger: { type: 'manual' } } });
    expect((await acme.call('update_workflow', given)).status).toBe(200);
  });

  it('changes no secret of a workflow with a step that a person must confirm', async () => {
    const trigger = { type: 'webhook', secret: true };
    const { id } = await createWorkflow(acme, [STEP], { trigger });
    await protect('create_contact', { confirmation: 'always' });
    for (const secret of [null, 'whsec_a-secret-that-the-agent-chose-itself']) {
      const given = { workflow_id: id, trigger: { type: 'webhook', secret } };
      expect(await agent('update_workflow', given)).toMatchObject(
        refusal('trigger', 'create_contact'),
      );
    }
    const same = { workflow_id: id, name: 'Same', trigger };
    expect(await agent('update_workflow', same)).toMatchObject({ workflow: { name: 'Same' } });
  });

  it('saves no new trigger and no new secret for a workflow with a step that calls a hidden tool', async () => {
    const inner = { id: 'sometimes', if: 'trigger.payload.x', then: [STEP] };
    const trigger = { type: 'webhook', secret: true };
    const { id } = await createWorkflow(acme, [inner], { trigger });
    await protect('create_contact', { hidden: true });
    const change = (given: object) => ({ workflow_id: id, trigger: given });
    for (const given of [
      { type: 'webhook', secret: null },
      { type: 'webhook', secret: 'whsec_a-secret-that-the-agent-chose-itself' },
      { type: 'schedule', cron: '*/5 * * * *' },
    ]) {
      const refused = refusal('trigger', '"create_contact" is hidden');
      expect(await agent('update_workflow', change(given))).toMatchObject(refused);
    }
    const same = { ...change(trigger), name: 'Same' };
    expect(await agent('update_workflow', same)).toMatchObject({ workflow: { name: 'Same' } });
    const without = change({ type: 'webhook', secret: null });
    expect((await acme.call('update_workflow', without)).status).toBe(200);
  });

  it('saves no new trigger for a workflow with a step that its key may not call', async () => {
    const inner = { id: 'sometimes', if: 'trigger.payload.x', then: [STEP] };
    const { id } = await createWorkflow(acme, [inner], { trigger: { type: 'manual' } });
    const other = await createWorkflow(acme, [{ id: 'go', run_workflow: id }]);
    const plain = await createWorkflow(acme, [{ id: 'pause', wait: { seconds: 1 } }]);
    const by = await withKey({ tools: ['update_workflow'] });
    const trigger = { type: 'schedule', cron: '*/5 * * * *' };
    const change = (workflowId: string) =>
      agent('update_workflow', { workflow_id: workflowId, trigger }, by);
    expect(await change(id)).toMatchObject(refusal('trigger', 'create_contact'));
    expect(await change(other.id)).toMatchObject(refusal('trigger', 'trigger_workflow'));
    expect(await change(plain.id)).toMatchObject({ workflow: { trigger: { type: 'schedule' } } });
  });
});

/** Returns the arguments of a step that decides for a contact about a topic. */
function subscription(subscribed: boolean): object {
  return { contact_id: 'con_1', topic: 'news', subscribed };
}
