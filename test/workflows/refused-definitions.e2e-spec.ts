import { beforeAll, describe, expect, it } from 'vitest';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { createWorkflow, postWebhook, runToEnd } from './support/workflow-client.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const find = (more: object = {}): object => ({
  id: 'found',
  tool: 'search_contacts',
  arguments: {},
  ...more,
});
const save = (given: object) =>
  acme.call('create_workflow', { name: 'Test', trigger: { type: 'manual' }, steps: [], ...given });

describe('a definition', () => {
  it.each(['contact', 'trigger', 'run', 'workflow', 'secrets', 'true', 'nil', 'empty', 'and'])(
    'is refused with a step that has the name %s',
    async (id) => {
      const { error } = await save({ steps: [{ ...find(), id }] });
      expect(error).toMatchObject({
        code: 'invalid_arguments',
        details: [
          { path: 'steps[0].id', message: `must not be "${id}": expressions use that name` },
        ],
      });
    },
  );

  it.each(
    sample(
      [
        'trigger.payload.x ==',
        'trigger.payload.x = 1',
        '== 1',
        'trigger.payload.x and',
        'trigger.payload.x == "open',
        'trigger.payload.x | unknown_filter',
      ],
      3,
    ),
  )('is refused with the condition %s', async (condition) => {
    const step = await save({ steps: [find({ if: condition })] });
    expect(step.error?.details).toMatchObject([{ path: 'steps[0].if' }]);
    const trigger = { type: 'webhook', if: condition };
    expect((await save({ trigger })).error?.details).toMatchObject([{ path: 'trigger.if' }]);
  });

  it.each(
    sample(
      [
        ['trigger.paylod.email', 'did you mean payload'],
        ['run.number', 'id and resume_urls'],
        ['run.resume_urls.found', 'waits for the event "resume"'],
        ['workflow.title', 'id and name'],
        ['found.contact', 'did you mean contacts'],
        ['found.contacts.first.mail', 'search_contacts'],
      ],
      3,
    ),
  )('is refused with %s, which can never exist', async (reference, hint) => {
    const text = `{{ ${reference} }}`;
    const steps = [find(), { ...find({ id: 'next' }), arguments: { query: text } }];
    const { error } = await save({ steps });
    expect(error?.details).toMatchObject([{ path: 'steps[1].arguments.query' }]);
    expect(error!.details![0]!.message.toLowerCase()).toContain(hint);
    const conditional = [find(), { ...find({ id: 'next' }), if: `${reference} == 1` }];
    expect((await save({ steps: conditional })).error?.details).toMatchObject([
      { path: 'steps[1].if' },
    ]);
  });

  it.each([
    '{% assign contact = 1 %}{{ contact }}',
    '{% if false %}{% capture run %}{% endcapture %}{% endif %}{{ run.id }}',
    '{% increment vars %}{{ contact.id }}',
  ])('is refused with %s, which assigns a value to a variable of every run', async (text) => {
    const { error } = await save({ steps: [{ id: 'values', set: { text } }] });
    expect(error).toMatchObject({
      code: 'invalid_arguments',
      details: [
        {
          path: 'steps[0].set.text',
          message: expect.stringMatching(/^assigns a value to/) as string,
        },
      ],
    });
    const limits = { concurrency: { key: text, runs_per_key: 1 } };
    expect((await save({ trigger: { type: 'webhook', limits } })).error?.details).toMatchObject([
      { path: 'trigger.limits.concurrency.key' },
    ]);
  });

  it('is accepted with members that may exist in a run', async () => {
    for (const text of [
      'trigger.payload.anything.at.all',
      'trigger.type',
      'run.resume_urls',
      'found.contacts.first.properties.size',
      'found.error.message',
    ]) {
      const steps = [find(), { ...find({ id: 'next' }), arguments: { query: `{{ ${text} }}` } }];
      expect((await save({ steps })).error).toBeUndefined();
    }
  });

  it.each([[{ next: 'link', page_parameter: 'page' }], [{ items: 'data' }]])(
    'is refused with the pages %j, whose fault would otherwise appear only in a run',
    async (pages) => {
      const steps = [
        { id: 'list', tool: 'http_request', arguments: { url: 'https://example.com', pages } },
      ];
      expect((await save({ steps })).error?.details).toMatchObject([
        { path: 'steps[0].arguments.pages' },
      ]);
    },
  );

  it.each([
    ['{{ trigger.payload.x }} == 1', 'without braces'],
    ["trigger.payload.x == 'a' && trigger.payload.y", 'and, or, not'],
    ['trigger.payload.x || trigger.payload.y', 'and, or, not'],
  ])(
    'is refused with the condition %s, and the error says how to write the condition',
    async (condition, hint) => {
      const { error } = await save({ steps: [find({ if: condition })] });
      expect(error?.details).toMatchObject([{ path: 'steps[0].if' }]);
      expect(error!.details![0]!.message).toContain(hint);
    },
  );

  it('is accepted with braces in a text of a condition', async () => {
    const condition = "trigger.payload.x contains '{{' or trigger.payload.x == ' && '";
    expect((await save({ steps: [find({ if: condition })] })).error).toBeUndefined();
  });

  it.each(
    sample(
      [
        [{ Host: 'example.com' }, 'headers.Host', 'must not be set'],
        [{ 'content-length': '1' }, 'headers.content-length', 'must not be set'],
        [{ 'a b': 'x' }, 'headers.a b', 'is not a valid HTTP header'],
        [{ 'X-Flag': true }, 'headers.X-Flag', 'must be text'],
      ],
      3,
    ),
  )('is refused with the literal headers %j', async (headers, path, message) => {
    const steps = [
      { id: 'call', tool: 'http_request', arguments: { url: 'https://example.com', headers } },
    ];
    const { error } = await save({ steps });
    expect(error?.details).toEqual([{ path: `steps[0].arguments.${path}`, message }]);
    const dynamic = { 'X-Email': '{{ trigger.payload.email }}' };
    const accepted = { url: 'https://example.com', headers: dynamic };
    expect(
      (await save({ steps: [{ id: 'call', tool: 'http_request', arguments: accepted }] })).error,
    ).toBeUndefined();
  });
});

describe('the secret of a webhook', () => {
  const update = (id: string, trigger: object) =>
    acme.call('update_workflow', { workflow_id: id, trigger });

  it('is kept while the workflow has a trigger of another type, and is lost only when somebody removes the secret', async () => {
    const { id } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', secret: true, tolerance_seconds: 300 },
    });
    expect((await postWebhook(switchboard, id, {})).status).toBe(401);
    await update(id, { type: 'manual' });
    expect((await postWebhook(switchboard, id, {})).status).toBe(404);
    const { value } = await acme.call<{ workflow: { trigger: object } }>('get_workflow', {
      workflow_id: id,
    });
    expect(value.workflow.trigger).toEqual({ type: 'manual' });
    await update(id, { type: 'schedule', cron: '0 9 * * 1' });
    await update(id, { type: 'webhook' });
    expect((await postWebhook(switchboard, id, {})).status).toBe(401);
    await update(id, { type: 'webhook', secret: null, tolerance_seconds: null });
    expect((await postWebhook(switchboard, id, {})).status).toBe(202);
  });
});

describe('a comparison with a value that is missing', () => {
  const CONDITIONS = ['>= 0', '<= 0', '< 1', '> -1'];

  it.each([{}, { x: null }, { x: '' }, { x: [] }, { x: {} }, { x: false }])(
    'is false for the payload %j in steps and triggers',
    async (payload) => {
      const steps = CONDITIONS.map((rest, index) => ({
        ...find(),
        id: `s${index}`,
        if: `trigger.payload.x ${rest}`,
      }));
      const { id } = await createWorkflow(acme, steps);
      const run = await runToEnd(acme, id, payload);
      expect(run.steps.map(({ status }) => status)).toEqual(CONDITIONS.map(() => 'skipped'));
      const trigger = { type: 'webhook', if: 'trigger.payload.x <= 0' };
      const filtered = await createWorkflow(acme, [], { trigger });
      const { body } = await postWebhook(switchboard, filtered.id, payload);
      expect(body.runId).toBeUndefined();
    },
  );
});
