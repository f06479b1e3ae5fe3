import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { withNewKey } from '../support/with-new-key.js';
import { callTool, said } from '../workflows/support/offer-client.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

const WEBHOOK = { type: 'webhook' };
const PAUSE = { id: 'pause', wait: { seconds: 1 } };
const answering = (body: string): object => ({ id: 'answer', respond: { body } });
const waiting = (more: object): object => ({
  id: 'heard',
  wait_for_event: { ...more, timeout: { days: 1 } },
});

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const AUTHOR = ['create_workflow', 'update_workflow', 'send_message'];
const withTools = (...tools: string[]) => withNewKey(acme, { tools: [...AUTHOR, ...tools] });
const save = async (by: TestOrganization, steps: object[], trigger: object = WEBHOOK) =>
  said(await callTool(by, 'create_workflow', { name: 'Reader', trigger, steps }));
const refusal = (path: string, tool: string): object => ({
  error: {
    code: 'invalid_arguments',
    details: expect.arrayContaining([
      { path, message: expect.stringContaining(`may call ${tool}`) as string },
    ]) as object[],
  },
});

describe('a key with a list of tools', () => {
  it.each<[string, object[], object, string, string]>([
    [
      'the contact in an answer',
      [answering('{{ contact.email }}')],
      WEBHOOK,
      'steps[0].respond.body',
      'get_contact',
    ],
    [
      'the contact by a computed name',
      [answering('{{ ["contact"].phone }}')],
      WEBHOOK,
      'steps[0].respond.body',
      'get_contact',
    ],
    [
      'the contact in a condition',
      [{ ...PAUSE, if: "contact.tags contains 'vip'" }],
      WEBHOOK,
      'steps[0].if',
      'get_contact',
    ],
    [
      'the contact in a list',
      [{ id: 'each', for_each: '{{ contact.tags }}', steps: [PAUSE] }],
      WEBHOOK,
      'steps[0].for_each',
      'get_contact',
    ],
    [
      'the contact in a condition of a trigger',
      [PAUSE],
      { ...WEBHOOK, if: 'contact.phone' },
      'trigger.if',
      'get_contact',
    ],
    [
      'the contact in a limit',
      [PAUSE],
      { ...WEBHOOK, limits: { concurrency: { key: '{{ contact.email }}', runs_per_key: 1 } } },
      'trigger.limits.concurrency.key',
      'get_contact',
    ],
    [
      'events of contacts',
      [PAUSE],
      { type: 'event', event: 'contact.updated' },
      'trigger.event',
      'get_contact',
    ],
    [
      'events of segments',
      [PAUSE],
      { type: 'event', event: 'segment.entered' },
      'trigger.event',
      'get_contact',
    ],
    [
      'events of messages',
      [PAUSE],
      { type: 'event', event: 'message.sent' },
      'trigger.event',
      'get_message',
    ],
    ['events of runs', [PAUSE], { type: 'event', event: 'run.failed' }, 'trigger.event', 'get_run'],
    [
      'events of its organization',
      [PAUSE],
      { type: 'event', event: 'custom.paid' },
      'trigger.event',
      'get_run',
    ],
    [
      'an awaited event',
      [waiting({ event: 'message.received' })],
      WEBHOOK,
      'steps[0].wait_for_event',
      'get_message',
    ],
    [
      'one of several awaited events',
      [waiting({ events: ['contact.tagged', 'contact.created'] })],
      WEBHOOK,
      'steps[0].wait_for_event',
      'get_contact',
    ],
    [
      'a resume URL',
      [waiting({ event: 'resume' }), answering('{{ run.resume_urls.heard }}')],
      WEBHOOK,
      'steps[1].respond.body',
      'trigger_workflow',
    ],
    [
      'a whole run',
      [answering('{{ run | json }}')],
      WEBHOOK,
      'steps[0].respond.body',
      'trigger_workflow',
    ],
  ])(
    'cannot save a workflow that reads data which its tools do not show: %s',
    async (_case, steps, trigger, path, tool) => {
      const agent = await withTools();
      expect(await save(agent, steps, trigger)).toMatchObject(refusal(path, tool));
      const able = await withTools('get_contact', 'get_message', 'get_run', 'trigger_workflow');
      expect(await save(able, steps, trigger)).toHaveProperty('workflow');
    },
  );

  it.each<[string, string]>([
    ['a tag assigns', '{% if false %}{% assign contact = 1 %}{% endif %}{{ contact.email }}'],
    [
      'a tag captures',
      '{% unless true %}{% capture contact %}{% endcapture %}{% endunless %}{{ contact.email }}',
    ],
    [
      'a tag increments',
      '{% case 1 %}{% when 2 %}{% increment contact %}{% endcase %}{{ contact.email }}',
    ],
    [
      'a loop without items has',
      '{% for contact in trigger.none %}{% else %}{{ contact.email }}{% endfor %}',
    ],
    ['a template computes', '{% assign name = "con" | append: "tact" %}{{ [name].email }}'],
    ['a payload has', '{{ [trigger.payload.name].email }}'],
    ['a part of a path computes', '{{ trigger.payload[[trigger.payload.name].email] }}'],
  ])('saves no workflow that reads the contact by a name that %s', async (_case, text) => {
    const agent = await withTools();
    const steps = [{ id: 'out', set: { a: text } }];
    expect(await save(agent, steps)).toMatchObject(refusal('steps[0].set.a', 'get_contact'));
  });

  it('saves no workflow with a condition in which an expression builds the variable name contact', async () => {
    const steps = [{ ...PAUSE, if: "[trigger.payload.name].email contains 'a'" }];
    expect(await save(await withTools(), steps)).toMatchObject(
      refusal('steps[0].if', 'get_contact'),
    );
  });

  it('saves no workflow that reads resume URLs by a name that a tag assigns', async () => {
    const text = '{% if false %}{% assign run = 1 %}{% endif %}{{ run.resume_urls.heard }}';
    const steps = [waiting({ event: 'resume' }), answering(text)];
    expect(await save(await withTools(), steps)).toMatchObject(
      refusal('steps[1].respond.body', 'trigger_workflow'),
    );
  });

  it('can save a workflow that reads only the payload, its own steps and the id of the run', async () => {
    const agent = await withTools();
    const answer = answering(
      '{{ trigger.payload.contact.email }} {{ run.id }} {{ vars.contact_id }}',
    );
    const steps = [{ id: 'values', set: { contact_id: '{{ trigger.payload.id }}' } }, answer];
    expect(await save(agent, steps)).toHaveProperty('workflow');
  });

  it('that may not start workflows cannot save a step that reads resume URLs of other runs', async () => {
    const read = { id: 'read', tool: 'get_message', arguments: { message_id: 'msg_1' } };
    const without = await withTools('get_message');
    expect(await save(without, [read])).toMatchObject(refusal('steps[0].tool', 'trigger_workflow'));
    const sent = { type: 'event', event: 'message.sent' };
    expect(await save(without, [PAUSE], sent)).toMatchObject(
      refusal('trigger.event', 'trigger_workflow'),
    );
    expect(await save(await withTools('get_message', 'trigger_workflow'), [read])).toHaveProperty(
      'workflow',
    );
  });

  it('cannot change an option of a webhook when the workflow has steps that the key may not call', async () => {
    const look = { id: 'look', tool: 'search_contacts', arguments: {} };
    const { id } = await createWorkflow(acme, [look], { trigger: WEBHOOK });
    const agent = await withNewKey(acme, { tools: ['update_workflow', 'get_workflow'] });
    const change = async (trigger: object): Promise<unknown> =>
      said(await callTool(agent, 'update_workflow', { workflow_id: id, trigger }));
    for (const option of [
      { wait_seconds: 30 },
      { dedupe_seconds: 60 },
      { accept: ['get'] },
      { headers: ['x-shop'] },
    ]) {
      expect(await change({ ...WEBHOOK, ...option }), JSON.stringify(option)).toMatchObject({
        error: {
          details: [
            {
              path: 'trigger',
              message: expect.stringContaining('not a tool of this API key') as string,
            },
          ],
        },
      });
    }
    expect(await change(WEBHOOK)).toHaveProperty('workflow');
  });

  it('cannot change the trigger or the steps when the other part reads data which its tools do not show', async () => {
    const heard = await createWorkflow(acme, [PAUSE], {
      trigger: { type: 'event', event: 'message.sent' },
    });
    const shown = await createWorkflow(acme, [answering('{{ contact.email }}')], {
      trigger: { ...WEBHOOK, secret: true },
    });
    const agent = await withTools();
    const steps = {
      workflow_id: heard.id,
      steps: [{ id: 'out', set: { a: '{{ trigger.payload }}' } }],
    };
    expect(said(await callTool(agent, 'update_workflow', steps))).toMatchObject(
      refusal('steps', 'get_message'),
    );
    const open = { workflow_id: shown.id, trigger: { ...WEBHOOK, secret: null } };
    expect(said(await callTool(agent, 'update_workflow', open))).toMatchObject(
      refusal('trigger', 'get_contact'),
    );
    const name = { workflow_id: shown.id, name: 'Renamed' };
    expect(said(await callTool(agent, 'update_workflow', name))).toHaveProperty('workflow');
  });

  it('cannot change the steps of a workflow whose trigger saves a contact, unless it may call create_contact', async () => {
    const { id } = await createWorkflow(acme, [PAUSE], {
      trigger: { ...WEBHOOK, contact: { email: '{{ trigger.payload.email }}' } },
    });
    const steps = [{ ...PAUSE, wait: { seconds: 2 } }];
    const by = async (...tools: string[]): Promise<unknown> =>
      said(
        await callTool(await withTools(...tools), 'update_workflow', { workflow_id: id, steps }),
      );
    expect(await by()).toMatchObject({
      error: {
        details: [{ path: 'steps', message: expect.stringContaining('saves a contact') as string }],
      },
    });
    expect(await by('create_contact')).toHaveProperty('workflow');
  });
});
