import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitForClosedTransactions } from '../support/open-transactions.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow, itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { answerOf, textOf } from '../mcp/support/answer.js';
import {
  CAPABILITIES_KEY,
  metaOf,
  modernHeaders,
  modernRequest,
  postModern,
} from '../mcp/support/modern.js';
import { callForTask, getTask, taskRequest, untilEnded } from '../mcp/support/task-client.js';
import {
  callTool,
  ERAS,
  listTools,
  offer,
  offerSteps,
  said,
  succeed,
} from './support/offer-client.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, runUntil } from './support/workflow-client.js';

const ECHO = {
  id: 'ordered',
  tool: 'probe_echo',
  arguments: { value: { number: 7, item: '{{ trigger.payload.item }}' } },
};
const held = (name: string) => ({ id: 'held', tool: 'probe_outside', arguments: { name } });

let switchboard: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProbeTools] });
  globex = await createOrganization(switchboard);
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const runsOf = async (workflowId: string): Promise<string[]> => {
  const { value } = await acme.call<{ runs: { id: string }[] }>('list_runs', {
    workflow_id: workflowId,
  });
  return value.runs.map(({ id }) => id);
};

describe('a call of an offered workflow', () => {
  it.each(sample(ERAS, 5))(
    'starts a run with the arguments as payload, and returns its result: %s',
    async (era) => {
      const name = `order_${String(era).replaceAll('-', '_')}`;
      const id = await offerSteps(acme, [ECHO], name);
      const answer = await callTool(acme, name, { item: 'tea' }, era);
      const [runId] = await runsOf(id);
      const expected = {
        run_id: runId,
        status: 'succeeded',
        output: { value: { number: 7, item: 'tea' } },
      };
      expect(said(answer)).toEqual(expected);
      expect(answer.result!.isError).toBeUndefined();
      const isStructured = era !== undefined && era >= '2025-06-18';
      expect(answer.result!.structuredContent).toEqual(isStructured ? expected : undefined);
      expect(await getRun(acme, runId!)).toMatchObject({
        status: 'succeeded',
        trigger: { type: 'tool', payload: { item: 'tea' } },
      });
    },
  );

  it('is listed, called and validated by the official client', async () => {
    await offerSteps(acme, [ECHO], 'official_order');
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${switchboard.url}/api/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${acme.key}` } },
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === 'official_order')).toMatchObject({
      title: 'Place an order',
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    });
    expect(
      await client.callTool({ name: 'official_order', arguments: { item: 'tea' } }),
    ).toMatchObject({ structuredContent: { status: 'succeeded', output: { value: {} } } });
    expect(await client.callTool({ name: 'official_order', arguments: {} })).toMatchObject({
      isError: true,
    });
    await client.close();
  });

  it('returns the rendered template, in which values keep their types', async () => {
    const id = await offerSteps(acme, [ECHO], 'shaped_order', {
      result: {
        number: '{{ ordered.value.number }}',
        text: 'Order {{ ordered.value.number }} of {{ trigger.payload.item }}',
        by: ['{{ trigger.type }}', '{{ workflow.name }}', '{{ workflow.id }}'],
        nothing: '{{ ordered.value.gone }}',
        fixed: true,
      },
    });
    const answer = await callTool(acme, 'shaped_order', { item: 'tea' });
    expect(said(answer).output).toEqual({
      number: 7,
      text: 'Order 7 of tea',
      by: ['tool', 'Test', id],
      nothing: null,
      fixed: true,
    });
  });

  itSlow('reports success when the template of the result fails', async () => {
    const text = 'x'.repeat(60_000);
    const result = { all: Array.from({ length: 6 }, () => '{{ trigger.payload.item }}') };
    await offerSteps(acme, [ECHO], 'large_order', { result });
    const answer = await callTool(acme, 'large_order', { item: text });
    expect(said(answer)).toEqual({
      run_id: expect.stringMatching(/^run_/) as string,
      status: 'succeeded',
      message: expect.stringMatching(/^The result template failed: .* Call get_run/) as string,
    });
  });

  itSlow('returns an empty output when no step returned anything', async () => {
    await offerSteps(acme, [{ id: 'a', if: 'trigger.payload.no', then: [] }], 'empty_order');
    expect(said(await callTool(acme, 'empty_order', { item: 'x' })).output).toEqual({});
  });

  it('sets the contact that the arguments name', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'ada@example.com',
    });
    const greet = {
      id: 'said',
      tool: 'probe_echo',
      arguments: { value: { id: '{{contact.id}}' } },
    };
    const properties = { email: { type: 'string' }, contact_id: { type: 'string' } };
    const input_schema = { type: 'object', properties };
    await offerSteps(acme, [greet], 'greet_person', { input_schema });
    const idFor = async (given: object) =>
      said<{ output: { value: { id: unknown } } }>(await callTool(acme, 'greet_person', given))
        .output.value.id;
    expect(await idFor({ email: 'ada@example.com' })).toBe(value.contact.id);
    expect(await idFor({ contact_id: value.contact.id })).toBe(value.contact.id);
    expect(await idFor({ email: 'nobody@example.com' })).toBeNull();
  });

  it.each(
    sample<[object, string]>(
      [
        [{}, 'item is required'],
        [{ item: null }, 'item must be of type string'],
        [{ item: 5 }, 'item must be of type string'],
        [{ item: '' }, 'item must be at least 1 character'],
        [{ item: 'a\0' }, 'item must not contain the character U+0000'],
        [{ item: 'x', itme: 'y' }, 'itme is not known. Did you mean item?'],
        [{ item: 'x', size: 'l' }, 'size must be one of s, m'],
        [{ item: 'x', mail: 'x' }, 'mail must be an email'],
        [{ item: 'x', count: 1.5 }, 'count must be of type integer'],
        [{ item: 'x', lines: [{}] }, 'lines[0].sku is required'],
        [{ item: 'x', idempotency_key: '' }, 'idempotency_key must be at least 1 character'],
        [{ item: 'x', idempotency_key: 5 }, 'idempotency_key must be of type string'],
      ],
      4,
    ),
  )('is refused with %j, and starts no run', async (given, fault) => {
    const id = await offerSteps(acme, [ECHO], 'strict_order', {
      input_schema: {
        type: 'object',
        properties: {
          item: { type: 'string', minLength: 1 },
          size: { type: 'string', enum: ['s', 'm'] },
          mail: { type: 'string', format: 'email' },
          count: { type: 'integer' },
          lines: {
            type: 'array',
            items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
          },
        },
        required: ['item'],
      },
    });
    const answer = await callTool(acme, 'strict_order', given);
    const { error } = said<{
      error: { code: string; details: { path: string; message: string }[] };
    }>(answer);
    expect(answer.result!.isError).toBe(true);
    expect(error.code).toBe('invalid_arguments');
    expect(error.details.map(({ path, message }) => `${path} ${message}`)).toContain(fault);
    expect(await runsOf(id)).toEqual([]);
  });

  it('leaves a row in the audit log, with the run', async () => {
    await offerSteps(acme, [ECHO], 'audited_order');
    const { run_id } = said(await callTool(acme, 'audited_order', { item: 'tea' }));
    expect(
      await switchboard.ownerQuery(
        `select actor_kind, subject from audit_log where organization_id = $1 and action = 'audited_order'`,
        [acme.id],
      ),
    ).toEqual([{ actor_kind: 'key', subject: run_id }]);
  });
});

describe('a run that fails', () => {
  const fail = (code: string) => ({
    id: 'bad',
    tool: 'probe_fail',
    arguments: { name: code, code },
  });

  it('fails the call with the error of its step', async () => {
    await offerSteps(acme, [fail('conflict')], 'failing_order');
    const answer = await callTool(acme, 'failing_order', { item: 'x' }, '2025-11-25');
    expect(answer.result).toMatchObject({ isError: true });
    expect(answer.result).not.toHaveProperty('structuredContent');
    expect(said(answer)).toEqual({
      error: {
        code: 'conflict',
        message: expect.stringMatching(
          /^Run run_\w+ failed at step bad: Told to fail\.$/,
        ) as string,
      },
    });
  });

  it('fails the call with an error id when the error is internal', async () => {
    const step = { ...fail('crash'), retry: { max_attempts: 1 } };
    await offerSteps(acme, [step], 'crashing_order');
    const answer = await callTool(acme, 'crashing_order', { item: 'x' });
    expect(answer.result!.isError).toBe(true);
    const { error } = said<{ error: { code: string; message: string } }>(answer);
    expect(error.code).toBe('internal');
    expect(error.message).toMatch(/^Run run_\w+ failed at step bad: Internal error [\w-]+\.$/);
    expect(JSON.stringify(answer)).not.toContain('secret detail');
  });

  it('fails the call when the run is canceled', async () => {
    ProbeTools.hold('canceled');
    const id = await offerSteps(acme, [held('canceled')], 'canceled_order', { wait_seconds: 25 });
    const answering = callTool(acme, 'canceled_order', { item: 'x' });
    const runId = await waitFor(async () => (await runsOf(id))[0]);
    await succeed(acme, 'cancel_run', { run_id: runId });
    expect(said(await answering)).toEqual({
      error: { code: 'conflict', message: `Run ${runId} was canceled before it ended.` },
    });
    ProbeTools.open('canceled');
  });
});

describe('the wait for a run', () => {
  const running = {
    run_id: expect.stringMatching(/^run_/) as string,
    status: 'running',
    message: expect.stringContaining('get_run') as string,
  };

  it('ends after wait_seconds with the run id, and the run continues', async () => {
    ProbeTools.hold('slow');
    await offerSteps(acme, [held('slow')], 'slow_order', { wait_seconds: 1 });
    const answer = await callTool(acme, 'slow_order', { item: 'x' }, '2025-11-25');
    expect(said(answer)).toEqual(running);
    expect(answer.result!.isError).toBeUndefined();
    ProbeTools.open('slow');
    await runUntil(acme, said<{ run_id: string }>(answer).run_id, 'succeeded');
  });

  it('does not happen when wait_seconds is 0', async () => {
    ProbeTools.hold('none');
    await offerSteps(acme, [held('none')], 'quick_order', { wait_seconds: 0 });
    const answer = await callTool(acme, 'quick_order', { item: 'x', idempotency_key: 'k' });
    expect(said(answer)).toEqual(running);
    ProbeTools.open('none');
    await runUntil(acme, said<{ run_id: string }>(answer).run_id, 'succeeded');
    expect(said(await callTool(acme, 'quick_order', { item: 'x', idempotency_key: 'k' }))).toEqual({
      run_id: said(answer).run_id,
      status: 'succeeded',
      output: { done: true },
    });
  });

  itSlow('holds no connection to the database', async () => {
    const small = await startSwitchboard({
      providers: [ProbeTools],
      env: { DATABASE_POOL_SIZE: '2' },
    });
    const organization = await createOrganization(small);
    ProbeTools.hold('pool');
    await offerSteps(organization, [held('pool')], 'pooled_order', { wait_seconds: 25 });
    const answers = Array.from({ length: 6 }, () =>
      callTool(organization, 'pooled_order', { item: 'x' }),
    );
    // Six calls start their runs with two connections, so a waiting call must have released its connection.
    await waitFor(async () => {
      const { value } = await organization.call<{ runs: object[] }>('list_runs');
      return value?.runs.length === answers.length;
    });
    await waitForClosedTransactions(small);
    ProbeTools.open('pool');
    for (const answer of await Promise.all(answers)) expect(said(answer).status).toBe('succeeded');
    await small.close();
  });

  itSlow(
    'is shared by all calls of a batch',
    async () => {
      ProbeTools.hold('batch');
      await offerSteps(acme, [held('batch')], 'batch_order', { wait_seconds: 25 });
      const call = (id: number) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'batch_order', arguments: { item: 'x' } },
      });
      const started = performance.now();
      const { body } = await answerOf(acme.rpc([call(1), call(2), call(3)]));
      // A single call would wait for 25 s.
      expect(performance.now() - started).toBeLessThan(24_000);
      for (const answer of body as unknown[]) expect(textOf(answer)).toEqual(running);
      ProbeTools.open('batch');
    },
    60_000,
  );

  it('ends when the caller of a modern call disconnects, and the run continues', async () => {
    ProbeTools.hold('gone');
    const id = await offerSteps(acme, [held('gone')], 'left_order', { wait_seconds: 25 });
    const message = modernRequest('tools/call', { name: 'left_order', arguments: { item: 'x' } });
    const abort = new AbortController();
    const answering = fetch(`${switchboard.url}/api/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${acme.key}`,
        'Content-Type': 'application/json',
        ...modernHeaders(message),
      },
      body: JSON.stringify(message),
      signal: abort.signal,
    }).catch((error: unknown) => error);
    await waitFor(() => ProbeTools.count('gone') > 0);
    abort.abort();
    await answering;
    ProbeTools.open('gone');
    const [runId] = await runsOf(id);
    await runUntil(acme, runId!, 'succeeded');
  });
});

describe('a call that is repeated', () => {
  it('with the same key starts one run, and returns its result', async () => {
    const id = await offerSteps(acme, [ECHO], 'repeated_order');
    const given = { item: 'tea', idempotency_key: 'once' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => callTool(acme, 'repeated_order', given)),
    );
    const [first] = answers;
    expect(said(first!).status).toBe('succeeded');
    for (const answer of answers) expect(answer).toEqual(first);
    expect(await runsOf(id)).toEqual([said(first!).run_id]);
    expect((await getRun(acme, said<{ run_id: string }>(first!).run_id)).trigger).toEqual({
      type: 'tool',
      payload: { item: 'tea' },
    });
  });

  itSlow(
    'is refused with other arguments, and starts a new run with another key or without a key',
    async () => {
      const id = await offerSteps(acme, [ECHO], 'other_order');
      const given = { item: 'tea', idempotency_key: 'once' };
      await callTool(acme, 'other_order', given);
      expect(said(await callTool(acme, 'other_order', { ...given, item: 'milk' }))).toMatchObject({
        error: { code: 'idempotency_mismatch' },
      });
      await callTool(acme, 'other_order', { ...given, idempotency_key: 'twice' });
      await callTool(acme, 'other_order', { item: 'tea' });
      await callTool(acme, 'other_order', { item: 'tea' });
      expect(await runsOf(id)).toHaveLength(4);
    },
  );

  it('leaves its key free when the run could not be started', async () => {
    const id = await offerSteps(acme, [ECHO], 'freed_order', {
      input_schema: { type: 'object', properties: { item: { type: 'string' } } },
    });
    const given = { item: 5, idempotency_key: 'once' };
    expect((await callTool(acme, 'freed_order', given)).result!.isError).toBe(true);
    const answer = await callTool(acme, 'freed_order', { ...given, item: 'tea' });
    expect(said(answer).status).toBe('succeeded');
    expect(await runsOf(id)).toHaveLength(1);
  });
});

describeSlow('a client that takes tasks', () => {
  it('gets the result when the run ends in time, otherwise a task with the same result', async () => {
    const result = { done: '{{ held.done }}' };
    await offerSteps(acme, [held('task')], 'task_order', { wait_seconds: 1, result });
    const message = taskRequest('tools/call', { name: 'task_order', arguments: { item: 'x' } });
    const { body } = await postModern(acme, message);
    expect(body).toMatchObject({
      result: { resultType: 'complete', structuredContent: { output: { done: true } } },
    });
    ProbeTools.hold('task');
    const { taskId } = await callForTask(acme, 'task_order', { item: 'x' });
    expect((await getTask(acme, taskId)).status).toBe('working');
    ProbeTools.open('task');
    const ended = await untilEnded(acme, taskId);
    expect(ended.result!.structuredContent).toEqual({
      run_id: taskId,
      status: 'succeeded',
      output: { done: true },
    });
  });
});

describe('a dry run', () => {
  it('checks the arguments, starts no run, and does not wait', async () => {
    const id = await offerSteps(acme, [held('dry')], 'dry_order', { wait_seconds: 25 });
    const _meta = { ...metaOf(), [CAPABILITIES_KEY]: {}, 'switchboard/dryRun': true };
    const call = (given: object) => {
      const message = modernRequest('tools/call', { name: 'dry_order', arguments: given });
      return postModern(acme, { ...message, params: { ...message.params, _meta } });
    };
    const { body } = await call({ item: 'x' });
    const effects = (body as { result: { _meta: Record<string, { effects: object[] }> } }).result
      ._meta['switchboard/dryRun']!;
    expect(effects.effects).toMatchObject([{ action: 'create', table: 'workflow_runs' }]);
    expect(textOf(body)).toMatchObject({ status: 'running' });
    expect(textOf((await call({})).body)).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await runsOf(id)).toEqual([]);
    const traces = `select action as trace from audit_log where organization_id = $1 and outcome = 'ok'
      union all select tool from idempotency_keys where organization_id = $1`;
    expect(await switchboard.ownerQuery(traces, [acme.id])).not.toContainEqual({
      trace: 'dry_order',
    });
  });
});

describe('an offered workflow', () => {
  const gone = async (name: string, organization = acme) => {
    expect(namesOf(await listTools(organization))).not.toContain(name);
    return await callTool(organization, name, { item: 'x' });
  };
  const namesOf = (tools: { name: string }[]) => tools.map(({ name }) => name);

  it('is missing while the workflow is inactive or when it is deleted', async () => {
    const id = await offerSteps(acme, [ECHO], 'fading_order');
    const unknown = await callTool(acme, 'fleeting_odor', { item: 'x' });
    for (const tool of ['deactivate_workflow', 'delete_workflow']) {
      await succeed(acme, 'activate_workflow', { workflow_id: id });
      expect(said(await callTool(acme, 'fading_order', { item: 'x' })).status).toBe('succeeded');
      await succeed(acme, tool, { workflow_id: id });
      const { error } = await gone('fading_order');
      expect(error!.code).toBe(-32602);
      expect(error!.message).toMatch(/^Unknown tool: fading_order/);
      expect(unknown.error!.message).toMatch(/^Unknown tool: fleeting_odor/);
    }
    await offerSteps(acme, [ECHO], 'fading_order');
    expect(said(await callTool(acme, 'fading_order', { item: 'x' })).status).toBe('succeeded');
  });

  it('executes the newest version of the workflow', async () => {
    const id = await offerSteps(acme, [ECHO], 'new_order');
    await callTool(acme, 'new_order', { item: 'x' });
    const steps = [{ ...ECHO, arguments: { value: { number: 8 } } }];
    await succeed(acme, 'update_workflow', { workflow_id: id, steps });
    expect(said(await callTool(acme, 'new_order', { item: 'x' })).output).toEqual({
      value: { number: 8 },
    });
  });

  itSlow('changes at once in every process', async () => {
    const sibling = await startSwitchboard({
      providers: [ProbeTools],
      databaseUrl: switchboard.databaseUrl,
      env: { ROLE: 'web' },
    });
    const there = {
      ...acme,
      rpc: (body: unknown) =>
        fetch(`${sibling.url}/api/mcp`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
    };
    const { id } = await createWorkflow(acme, [ECHO], { trigger: { type: 'manual' } });
    for (const [index, name] of ['first_order', 'second_order', 'first_order'].entries()) {
      await offer(acme, id, name, { result: { index } });
      for (const organization of [acme, there]) {
        expect(said(await callTool(organization, name, { item: 'x' })).output).toEqual({ index });
        const other = name === 'first_order' ? 'second_order' : 'first_order';
        await gone(other, organization);
      }
    }
    await succeed(acme, 'withdraw_workflow_tool', { workflow_id: id });
    for (const organization of [acme, there]) {
      expect((await gone('first_order', organization)).error!.code).toBe(-32602);
    }
    await sibling.close();
  });

  it('is invisible to other organizations', async () => {
    await offerSteps(acme, [ECHO], 'acme_only_order');
    const message = (await gone('acme_only_order', globex)).error!.message;
    expect(message).toBe('Unknown tool: acme_only_order');
    expect((await callTool(globex, 'acme_only_ordr')).error!.message).not.toContain('Did you mean');
    expect((await callTool(acme, 'acme_only_ordr')).error!.message).toContain(
      'Did you mean acme_only_order?',
    );
  });

  it('can be called only by agents', async () => {
    await offerSteps(acme, [ECHO], 'agents_order');
    expect((await acme.call('agents_order', { item: 'x' })).status).toBe(404);
    const { tools } = (await (await acme.fetch('/api/tools')).json()) as {
      tools: { name: string }[];
    };
    expect(namesOf(tools)).not.toContain('agents_order');
    const steps = [{ id: 'a', tool: 'agents_order', arguments: { item: 'x' } }];
    const { error } = await acme.call('create_workflow', {
      name: 'X',
      trigger: { type: 'manual' },
      steps,
    });
    expect(error!.details).toMatchObject([{ path: 'steps[0].tool' }]);
  });

  itSlow('counts against the rate limit like any other call', async () => {
    const limited = await startSwitchboard({
      providers: [ProbeTools],
      env: { RATE_LIMIT_PER_MINUTE: '30' },
    });
    const organization = await createOrganization(limited);
    await offerSteps(organization, [ECHO], 'limited_order', { wait_seconds: 0 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, () =>
        organization.rpc({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'limited_order', arguments: { item: 'x' } },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
    await limited.close();
  });
});
