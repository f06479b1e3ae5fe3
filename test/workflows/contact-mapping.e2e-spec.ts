import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  type RunShape,
  runToEnd,
  runUntil,
  type WorkflowShape,
} from './support/workflow-client.js';

interface ContactShape {
  id: string;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  last_name: string | null;
  tags: string[];
  properties: Record<string, unknown>;
  consent: Record<string, { status: string }>;
}

const MAPPING = {
  email: '{{ trigger.payload.answers.email }}',
  phone: '{{ trigger.payload.answers.phone }}',
  first_name: '{{ trigger.payload.answers.name }}',
  tags: ['lead', '{{ trigger.payload.form }}'],
  properties: { source: 'form', seats: '{{ trigger.payload.answers.seats }}' },
  consent: { email: '{% if trigger.payload.answers.newsletter %}granted{% endif %}' },
};
const look = { id: 'look', tool: 'get_contact', arguments: { contact_id: '{{ contact.id }}' } };
const mapped = (contact: object, more: object = {}) => ({
  trigger: { type: 'webhook', contact, ...more },
});

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const post = async (id: string, payload: object): Promise<RunShape> => {
  const { status, body } = await postWebhook(switchboard, id, payload);
  expect(status).toBe(202);
  return await runUntil(acme, body.runId, 'succeeded', 'failed');
};
const contactOf = async (email: string): Promise<ContactShape | undefined> =>
  (await acme.call<{ contact: ContactShape }>('get_contact', { email })).value?.contact;
const create = async (fields: object): Promise<ContactShape> => {
  const { value, error } = await acme.call<{ contact: ContactShape }>('create_contact', fields);
  if (error) throw new Error(error.message);
  return value.contact;
};

describe('a trigger with a contact mapping', () => {
  it('creates the contact before the first step, and sets it as the contact of the run', async () => {
    const watch = await createWorkflow(acme, [], {
      trigger: { type: 'event', event: 'contact.created' },
    });
    const { id } = await createWorkflow(acme, [look], mapped(MAPPING));
    const run = await post(id, {
      form: 'spring',
      answers: { email: ' Ada@Example.com ', name: 'Ada', seats: 3, newsletter: true },
    });
    expect(run.status).toBe('succeeded');
    const contact = (await contactOf('ada@example.com'))!;
    expect(contact).toMatchObject({
      first_name: 'Ada',
      last_name: null,
      tags: ['lead', 'spring'],
      properties: { source: 'form', seats: 3 },
      consent: { email: { status: 'granted' } },
    });
    expect(run.contact_id).toBe(contact.id);
    expect(run.steps).toMatchObject([
      {
        id: 'trigger.contact',
        tool: 'set_run_contact',
        status: 'succeeded',
        attempts: 1,
        output: { created: true, contact: { id: contact.id } },
      },
      { id: 'look', output: { contact: { id: contact.id } } },
    ]);
    // The event has the run as its cause, so that loops are detected.
    const caused = await switchboard.ownerQuery(
      'select depth, contact_id from workflow_runs where workflow_id = $1',
      [watch.id],
    );
    expect(caused).toEqual([{ depth: 1, contact_id: contact.id }]);
    await acme.call('delete_workflow', { workflow_id: watch.id });
  });

  it('updates a known contact without clearing any field', async () => {
    const { id } = await createWorkflow(acme, [look], mapped(MAPPING));
    const known = await create({
      email: 'known@example.com',
      phone: '+4930111111',
      first_name: 'Grace',
      last_name: 'Hopper',
      tags: ['vip', 'lead'],
      properties: { plan: 'pro', seats: 9 },
      consent: { email: 'denied' },
    });
    const run = await post(id, {
      form: '',
      answers: { email: 'known@example.com', name: '   ', phone: null, seats: 4 },
    });
    expect(run).toMatchObject({ status: 'succeeded', contact_id: known.id });
    expect(await contactOf('known@example.com')).toMatchObject({
      phone: '+4930111111',
      first_name: 'Grace',
      last_name: 'Hopper',
      tags: ['vip', 'lead'],
      properties: { plan: 'pro', seats: 4, source: 'form' },
      consent: { email: { status: 'denied' } },
    });
    expect(run.steps[0]!.output).toMatchObject({ created: false });
  });

  it('accepts the webhook when the contact is invalid, and fails the run with the reason', async () => {
    const { id } = await createWorkflow(acme, [look], mapped(MAPPING));
    const cases: [object, RegExp][] = [
      [{ answers: { email: 'not one' } }, /^email must be one e-mail address/],
      [{ answers: { email: ['a@example.com'] } }, /^email must be of type string/],
      [{ answers: {} }, /^A contact needs one of/],
      [{ answers: null }, /^A contact needs one of/],
      [{}, /^A contact needs one of/],
    ];
    for (const [payload, message] of cases) {
      const run = await post(id, payload);
      expect(run).toMatchObject({
        status: 'failed',
        reason: 'step_failed:trigger.contact',
        contact_id: null,
      });
      expect(run.steps.map((step) => step.id)).toEqual(['trigger.contact']);
      expect(run.steps[0]!.error!.message).toMatch(message);
      expect(run.steps[0]!.error!.code).toBe('invalid_arguments');
    }
  });

  it('leaves out invalid fields, shows them in the run, and saves the other fields', async () => {
    const { id } = await createWorkflow(
      acme,
      [look],
      mapped({ ...MAPPING, locale: '{{ trigger.payload.answers.locale }}' }),
    );
    const run = await post(id, {
      form: ['not a tag'],
      answers: {
        email: 'rest@example.com',
        phone: '030 12',
        name: 'Ada',
        seats: [1],
        locale: 'x'.repeat(100),
      },
    });
    expect(run.status).toBe('succeeded');
    const { dropped } = run.steps[0]!.output as { dropped: { path: string; message: string }[] };
    expect(dropped.map(({ path }) => path).sort()).toEqual([
      'locale',
      'phone',
      'properties.seats',
      'tags[1]',
    ]);
    expect(dropped.find(({ path }) => path === 'phone')!.message).toContain('international form');
    expect(await contactOf('rest@example.com')).toMatchObject({
      phone: null,
      first_name: 'Ada',
      tags: ['lead'],
      properties: { source: 'form' },
    });
  });

  it('updates the contact whose id the payload has, even when other identifiers in the payload are invalid', async () => {
    const { id } = await createWorkflow(acme, [look], mapped(MAPPING));
    const known = await create({ email: 'named@example.com' });
    const run = await post(id, {
      contact_id: known.id,
      answers: { email: 'not one', name: 'Named' },
    });
    expect(run).toMatchObject({ status: 'succeeded', contact_id: known.id });
    expect((await contactOf('named@example.com'))!.first_name).toBe('Named');
  });

  itSlow('continues without the contact when on_error is continue', async () => {
    const steps = [{ id: 'all', tool: 'search_contacts', arguments: { query: 'nobody' } }];
    const { id } = await createWorkflow(acme, steps, mapped({ ...MAPPING, on_error: 'continue' }));
    const run = await post(id, { answers: { email: 'not one' } });
    expect(run).toMatchObject({ status: 'succeeded', contact_id: null });
    expect(run.steps.map((step) => `${step.id} ${step.status}`)).toEqual([
      'trigger.contact failed',
      'all succeeded',
    ]);
  });

  it('fails with a conflict for identifiers of two contacts', async () => {
    const { id } = await createWorkflow(acme, [look], mapped(MAPPING));
    await create({ email: 'one@example.com' });
    await create({ phone: '+4930222222' });
    const answers = { email: 'one@example.com', phone: '+49 30 222222', name: 'Mixed' };
    const run = await post(id, { answers });
    expect(run).toMatchObject({ status: 'failed', steps: [{ error: { code: 'conflict' } }] });
    expect(await contactOf('one@example.com')).toMatchObject({ phone: null, first_name: null });
  });

  it('saves the contact once, even for duplicates and retries', async () => {
    const missing = { ...look, id: 'miss', arguments: { contact_id: 'con_unknown' } };
    const { id } = await createWorkflow(acme, [missing], mapped(MAPPING));
    const payload = { answers: { email: 'once@example.com', name: 'Ada' } };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        postWebhook(switchboard, id, payload, { 'idempotency-key': 'k1' }),
      ),
    );
    const { runId } = answers[0]!.body;
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect((await runUntil(acme, runId, 'failed')).reason).toBe('step_failed:miss');
    const contact = (await contactOf('once@example.com'))!;
    await acme.call('update_contact', { contact_id: contact.id, first_name: 'Grace' });
    await acme.call('retry_run', { run_id: runId });
    const again = await waitFor(async () => {
      const run = await getRun(acme, runId);
      return run.status === 'failed' ? run : undefined;
    });
    expect(again.steps.map((step) => step.id)).toEqual(['trigger.contact', 'miss']);
    expect((await contactOf('once@example.com'))!.first_name).toBe('Grace');
  });

  itSlow('saves the contact again in retry_run when saving the contact had failed', async () => {
    const { id } = await createWorkflow(acme, [look], mapped(MAPPING));
    const holder = await create({ phone: '+4930333333' });
    await create({ email: 'again@example.com' });
    const answers = { email: 'again@example.com', phone: '+4930333333' };
    const { id: runId } = await post(id, { answers });
    await acme.call('update_contact', {
      contact_id: holder.id,
      phone: null,
      external_id: 'other',
    });
    await acme.call('retry_run', { run_id: runId });
    const run = await runUntil(acme, runId, 'succeeded');
    expect(run.steps.map((step) => `${step.id} ${step.status}`)).toEqual([
      'trigger.contact succeeded',
      'look succeeded',
    ]);
  });

  itSlow('uses the mapping of the newest version in retry_run', async () => {
    const wrong = { email: '{{ trigger.payload.mail }}' };
    const { id } = await createWorkflow(acme, [look], mapped(wrong));
    const { id: runId, reason } = await post(id, { answers: { email: 'newest@example.com' } });
    expect(reason).toBe('step_failed:trigger.contact');
    await acme.call('update_workflow', { workflow_id: id, ...mapped(MAPPING) });
    await acme.call('retry_run', { run_id: runId, version: 'latest' });
    const run = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'succeeded', workflow_version: 2 });
    expect(run.contact_id).toBe((await contactOf('newest@example.com'))!.id);
  });

  itSlow('is not repeated in retry_run when a later step failed', async () => {
    const step = { id: 'found', tool: 'get_contact', arguments: { email: 'x@example.com' } };
    const { id } = await createWorkflow(acme, [step], mapped(MAPPING));
    const { id: runId, reason } = await post(id, { answers: { email: 'step@example.com' } });
    expect(reason).toBe('step_failed:found');
    const steps = [{ ...step, tool: 'search_contacts', arguments: { query: 'step' } }];
    await acme.call('update_workflow', { workflow_id: id, steps });
    const retried = await acme.call('retry_run', { run_id: runId, version: 'latest' });
    expect(retried.error).toBeUndefined();
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).steps).toMatchObject([
      { id: 'trigger.contact', tool: 'set_run_contact', status: 'succeeded', attempts: 1 },
      { id: 'found', tool: 'search_contacts', status: 'succeeded' },
    ]);
  });

  it('applies to runs that are started by hand, even with a given contact', async () => {
    const given = { trigger: { type: 'manual', contact: MAPPING } };
    const { id } = await createWorkflow(acme, [look], given);
    const run = await runToEnd(acme, id, { answers: { email: 'hand@example.com', name: 'Ada' } });
    expect(run).toMatchObject({ status: 'succeeded', contact_id: expect.any(String) as string });
    const known = await create({ email: 'given@example.com' });
    const { value } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: id,
      contact_id: known.id,
      payload: { answers: { name: 'Given' } },
    });
    const second = await runUntil(acme, value.run_id, 'succeeded', 'failed');
    expect(second).toMatchObject({ status: 'succeeded', contact_id: known.id });
    expect((await contactOf('given@example.com'))!.first_name).toBe('Given');
  });

  it('shows no contact to the steps after the step that deleted the contact', async () => {
    const steps = [
      { id: 'gone', tool: 'delete_contact', arguments: { contact_id: '{{ contact.id }}' } },
      { id: 'still', if: 'contact', then: [look] },
    ];
    const { id } = await createWorkflow(acme, steps, mapped(MAPPING));
    const run = await post(id, { answers: { email: 'short@example.com' } });
    expect(run).toMatchObject({ status: 'succeeded', contact_id: null });
    expect(run.steps.map((step) => step.id)).toEqual(['trigger.contact', 'gone', 'still']);
  });

  it('does not show the contact to senders who wait', async () => {
    const { id } = await createWorkflow(
      acme,
      [{ id: 'all', tool: 'search_contacts', arguments: { query: 'nobody' } }],
      mapped(MAPPING, { wait_seconds: 30 }),
    );
    const { body } = await postWebhook(switchboard, id, { answers: { email: 'w@example.com' } });
    expect(body).toMatchObject({ ok: true, outputs: { all: { contacts: [] } } });
    expect(JSON.stringify(body)).not.toContain('trigger.contact');
  });
});

describe('the contact mapping of a trigger', () => {
  it('is checked when it is saved, and reports the path of each fault', async () => {
    const cases: [object | string, [string, RegExp][]][] = [
      ['email', [['trigger.contact', /^must be an object/]]],
      [{}, [['trigger.contact', /^needs one of external_id, email, phone$/]]],
      [{ first_name: 'Ada' }, [['trigger.contact', /^needs one of/]]],
      [{ email: '' }, [['trigger.contact', /^needs one of/]]],
      [
        { emial: 'x', email: 'a@example.com', on_conflict: 'update' },
        [
          ['trigger.contact.emial', /^is not known. Did you mean email\?$/],
          ['trigger.contact.on_conflict', /^is not known/],
        ],
      ],
      [
        { email: 1, tags: 'lead', properties: [], consent: { email: 'yes', fax: 'granted' } },
        [
          ['trigger.contact.email', /^must be of type string$/],
          ['trigger.contact.tags', /^must be of type array$/],
          ['trigger.contact.properties', /^must be of type object$/],
          ['trigger.contact.consent.email', /^must be one of/],
          ['trigger.contact.consent.fax', /^is not known/],
        ],
      ],
      [
        { email: '{{ trigger.payload.email', phone: '{{ look.phone }}', on_error: [] },
        [
          ['trigger.contact.on_error', /^must be "fail" or "continue"$/],
          ['trigger.contact.email', /^is not a valid expression/],
          ['trigger.contact.phone', /^refers to /],
        ],
      ],
    ];
    for (const [contact, expected] of cases) {
      const { error } = await acme.call('create_workflow', {
        name: 'Bad',
        trigger: { type: 'webhook', contact },
        steps: [],
      });
      expect(error?.code).toBe('invalid_arguments');
      expect(error!.details!.map(({ path }) => path)).toEqual(expected.map(([path]) => path));
      for (const [index, [, message]] of expected.entries()) {
        expect(error!.details![index]!.message).toMatch(message);
      }
    }
    for (const trigger of [
      { type: 'event', event: 'contact.created', contact: MAPPING },
      { type: 'schedule', cron: '0 9 * * *', contact: MAPPING },
    ]) {
      const { error } = await acme.call('create_workflow', { name: 'Bad', trigger, steps: [] });
      expect(error!.details).toMatchObject([{ path: 'trigger.contact' }]);
    }
  });

  it('follows the policies of create_contact', async () => {
    const strict = await createOrganization(switchboard);
    await strict.call('set_tool_policy', { tool: 'create_contact', hidden: true });
    const { error } = await strict.call('create_workflow', {
      name: 'Bad',
      steps: [],
      ...mapped(MAPPING),
    });
    expect(error!.details).toMatchObject([{ path: 'trigger.contact' }]);
  });

  itSlow(
    'is shown, kept when the steps change, versioned, and removed when the new trigger has no mapping',
    async () => {
      const { id, version, trigger } = await createWorkflow(acme, [], mapped(MAPPING));
      expect(trigger).toEqual({ type: 'webhook', contact: MAPPING });
      const update = async (given: object): Promise<WorkflowShape> => {
        const { value, error } = await acme.call<{ workflow: WorkflowShape }>('update_workflow', {
          workflow_id: id,
          ...given,
        });
        if (error) throw new Error(error.message);
        return value.workflow;
      };
      expect((await update({ trigger })).version).toBe(version);
      const stays = await update({ steps: [look] });
      expect(stays).toMatchObject({ version: version + 1, trigger, steps: [look] });
      const run = await post(id, { answers: { email: 'stays@example.com' } });
      expect(run.steps.map((step) => step.id)).toEqual(['trigger.contact', 'look']);
      const changed = await update({
        trigger: { ...trigger, contact: { email: 'x@example.com' } },
      });
      expect(changed.version).toBe(version + 2);
      const gone = await update({ trigger: { type: 'webhook' }, steps: [] });
      expect(gone).toMatchObject({ version: version + 3, trigger: { type: 'webhook' } });
      expect((await post(id, { answers: { email: 'gone@example.com' } })).steps).toEqual([]);
      expect(await contactOf('gone@example.com')).toBeUndefined();
    },
  );

  itSlow('is taken from the version that the run is pinned to', async () => {
    const web = await startSwitchboard({ env: { ROLE: 'web' } });
    const organization = await createOrganization(web);
    const { id } = await createWorkflow(organization, [], mapped({ email: 'first@example.com' }));
    const { body } = await postWebhook(web, id, {});
    await organization.call('update_workflow', {
      workflow_id: id,
      ...mapped({ email: 'second@example.com' }),
    });
    const worker = await startSwitchboard({
      databaseUrl: web.databaseUrl,
      env: { ROLE: 'worker' },
    });
    try {
      const run = await runUntil(organization, body.runId, 'succeeded');
      expect(run.steps[0]!.output).toMatchObject({ contact: { email: 'first@example.com' } });
    } finally {
      await worker.close();
      await web.close();
    }
  });
});

describe('set_run_contact', () => {
  it('sets the contact of the run during the run', async () => {
    const { id } = await createWorkflow(acme, [
      {
        id: 'about',
        tool: 'set_run_contact',
        arguments: { contact: { email: '{{ trigger.payload.to }}', first_name: '' } },
      },
      look,
    ]);
    const run = await post(id, { to: 'middle@example.com' });
    expect(run.status).toBe('succeeded');
    expect(run.contact_id).toBe((await contactOf('middle@example.com'))!.id);
  });

  it('fails with an invalid field, unless the field may be left out', async () => {
    const step = (more: object) => ({
      id: 'about',
      tool: 'set_run_contact',
      arguments: { contact: { email: '{{ trigger.payload.to }}', phone: '1' }, ...more },
    });
    const strict = await createWorkflow(acme, [step({})]);
    expect((await post(strict.id, { to: 'strict@example.com' })).steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: 'phone' }],
    });
    const lenient = await createWorkflow(acme, [step({ on_invalid: 'drop' })]);
    const run = await post(lenient.id, { to: 'lenient@example.com' });
    expect(run.steps[0]!.output).toMatchObject({ dropped: [{ path: 'phone' }] });
  });
});
