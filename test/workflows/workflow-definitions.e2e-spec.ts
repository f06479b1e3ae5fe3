import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, type WorkflowShape } from './support/workflow-client.js';

const add = (given: object, more: object = {}) => ({
  id: 'add',
  tool: 'create_contact',
  arguments: given,
  ...more,
});
const look = (id: string, contactId: string) => ({
  id,
  tool: 'get_contact',
  arguments: { contact_id: contactId },
});

describe('the definition of a workflow', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it.each<[string, object[], string[]]>([
    ['an unknown tool', [{ id: 'a', tool: 'create_contacts' }], ['steps[0].tool']],
    [
      'a tool that makes secrets',
      [{ id: 'a', tool: 'create_workflow', arguments: {} }],
      ['steps[0].tool'],
    ],
    ['an unknown argument', [add({ emial: 'a@example.com' })], ['steps[0].arguments.emial']],
    ['a missing argument', [{ id: 'a', tool: 'get_run' }], ['steps[0].arguments.run_id']],
    ['a wrong type', [add({ email: 7 })], ['steps[0].arguments.email']],
    [
      'a wrong choice',
      [add({ email: 'a@example.com', on_conflict: 'x' })],
      ['steps[0].arguments.on_conflict'],
    ],
    [
      'an expression with a syntax error',
      [add({ email: '{{ a | }' })],
      ['steps[0].arguments.email'],
    ],
    ['an unknown filter', [add({ email: '{{ run.id | shout }}' })], ['steps[0].arguments.email']],
    ['an unknown name', [add({ email: '{{ payload.email }}' })], ['steps[0].arguments.email']],
    [
      'a reference to a later step',
      [look('one', '{{ two.id }}'), look('two', 'x')],
      ['steps[0].arguments.contact_id'],
    ],
    [
      'a step that refers to itself',
      [look('one', '{{ one.id }}')],
      ['steps[0].arguments.contact_id'],
    ],
    [
      'a reference from outside to a step of a branch',
      [{ id: 'b', if: 'trigger.payload.x', then: [look('in', 'x')] }, look('out', '{{ in.id }}')],
      ['steps[1].arguments.contact_id'],
    ],
    ['a condition with a syntax error', [{ id: 'b', if: 'a = 1', then: [] }], ['steps[0].if']],
    ['an unknown name in a condition', [{ id: 'b', if: 'plan', then: [] }], ['steps[0].if']],
    [
      'several faults, deep down',
      [
        {
          id: 'b',
          if: 'run.id',
          then: [add({ email: true, tags: [1] })],
          else: [
            { id: 'c', wait: { until: '{{ nothing }}' } },
            { id: 'd', tool: 'nothing' },
          ],
        },
      ],
      [
        'steps[0].then[0].arguments.email',
        'steps[0].then[0].arguments.tags[0]',
        'steps[0].then[0].arguments.tags',
        'steps[0].else[0].wait.until',
        'steps[0].else[1].tool',
      ],
    ],
  ])('is refused for %s', async (_what, steps, paths) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'webhook' },
      steps,
    });
    expect(error!.code).toBe('invalid_arguments');
    expect(error!.details!.map(({ path }) => path)).toEqual(paths);
  });

  it.each<[object, string, string]>([
    [{}, 'trigger.type', 'is required'],
    [{ type: 'other' }, 'trigger.type', 'must be one of webhook, manual, schedule, event'],
    [{ type: 'event' }, 'trigger.event', 'is required'],
    [
      { type: 'event', event: 'contact.create' },
      'trigger.event',
      'must be one of contact.created, contact.updated, contact.tagged, contact.merged, message.sent, message.delivered, message.failed, message.received, run.failed, segment.entered, segment.left, or a custom event, such as custom.order_paid. Did you mean contact.created, contact.updated?',
    ],
    [
      { type: 'event', event: 'contact.created', segment: 'seg_1' },
      'trigger.segment',
      'is only for the events segment.entered and segment.left',
    ],
    [
      { type: 'event', event: 'segment.left', segment: 'x y' },
      'trigger.segment',
      'must be the id of a segment',
    ],
    [{ type: 'event', event: 'run.failed', secret: true }, 'trigger.secret', 'is not known.'],
    [{ type: 'webhook', if: '' }, 'trigger.if', 'must be a condition, as text'],
    [
      { type: 'webhook', if: 'run.id' },
      'trigger.if',
      'refers to "run", which is neither trigger nor contact.',
    ],
    [
      { type: 'webhook', secret: 'short' },
      'trigger.secret',
      'must be true, null, or text of 16 to 256 characters',
    ],
    [
      { type: 'webhook', secret: false },
      'trigger.secret',
      'must be true, null, or text of 16 to 256 characters',
    ],
    [{ type: 'webhook', secrte: true }, 'trigger.secrte', 'is not known. Did you mean secret?'],
    [{ type: 'manual', secret: true }, 'trigger.secret', 'is not known.'],
  ])('is refused for the trigger %j', async (trigger, path, message) => {
    const { error } = await acme.call('create_workflow', { name: 'Wrong', trigger, steps: [] });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path, message }] });
  });

  it('can be the example of the documentation', async () => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'person',
        tool: 'create_contact',
        arguments: { email: '{{ trigger.payload.email }}' },
        on_error: 'continue',
      },
      { id: 'pause', wait: { days: 1 } },
      {
        id: 'paid',
        if: "trigger.payload.plan == 'pro'",
        then: [look('again', '{{ person.id }}')],
        else: [],
      },
    ]);
    expect(workflow).toMatchObject({ version: 1, active: true, trigger: { type: 'webhook' } });
    expect(workflow.webhook_url).toBe(`${switchboard.url}/api/webhooks/workflow/${workflow.id}`);
    expect(workflow.id).toMatch(/^[0-9A-Za-z]{32}$/);
    const { value } = await acme.call<{ workflow: WorkflowShape }>('get_workflow', {
      workflow_id: workflow.id,
    });
    expect(value.workflow.steps).toEqual(workflow.steps);
  });

  it('gets a new version only when something changes', async () => {
    const steps = [add({ email: 'a@example.com' })];
    const { id } = await createWorkflow(acme, steps);
    const update = async (changes: object) =>
      (
        await acme.call<{ workflow: WorkflowShape }>('update_workflow', {
          workflow_id: id,
          ...changes,
        })
      ).value.workflow;
    expect((await update({ steps })).version).toBe(1);
    expect((await update({ name: 'New' })).version).toBe(2);
    expect(await update({ steps: [] })).toMatchObject({ version: 3, name: 'New', steps: [] });
    expect(await update({ trigger: { type: 'manual' } })).toMatchObject({
      version: 4,
      webhook_url: null,
    });
    const wrong = await acme.call('update_workflow', { workflow_id: id, steps: [{ id: 'a' }] });
    expect(wrong.error!.code).toBe('invalid_arguments');
  });

  it('is listed until it is deleted, the newest workflow first', async () => {
    const other = await createOrganization(switchboard);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.push((await createWorkflow(other, [])).id);
    const list = async (given: object) =>
      (
        await other.call<{ workflows: WorkflowShape[]; next_cursor: string | null }>(
          'list_workflows',
          given,
        )
      ).value;
    const first = await list({ limit: 2 });
    expect(first.workflows.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const rest = await list({ limit: 2, cursor: first.next_cursor });
    expect(rest).toMatchObject({ workflows: [{ id: ids[0] }], next_cursor: null });
    await other.call('deactivate_workflow', { workflow_id: ids[0] });
    expect((await list({ active: false })).workflows.map(({ id }) => id)).toEqual([ids[0]]);
    const gone = await other.call('delete_workflow', { workflow_id: ids[0] });
    expect(gone.value).toEqual({ deleted: true });
    expect((await list({})).workflows.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    for (const tool of ['get_workflow', 'delete_workflow', 'update_workflow', 'trigger_workflow']) {
      expect((await other.call(tool, { workflow_id: ids[0] })).error!.message).toBe(
        'No workflow has this id.',
      );
    }
  });
});
