import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChangeRecorder } from '../changes/change-recorder.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { OutputSchemas } from '../support/output-schemas.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import { createWorkflow, getRun, runUntil } from '../workflows/support/workflow-client.js';
import { answerOf, errorOf, textOf } from './support/answer.js';
import { modernRequest, postModern } from './support/modern.js';
import {
  callForTask,
  getTask,
  type TaskShape,
  TASKS,
  taskRequest,
  untilEnded,
} from './support/task-client.js';
import { tracesOf } from './support/traces.js';

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];
const ACKNOWLEDGED = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'switchboard' }) },
};
const NOT_DECLARED = {
  jsonrpc: '2.0',
  id: 1,
  error: {
    code: -32021,
    message: expect.stringContaining('io.modelcontextprotocol/tasks') as string,
    data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
  },
};

describe('a workflow run as a task', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [ProbeTools] });
    [acme, globex] = [await createOrganization(switchboard), await createOrganization(switchboard)];
  });
  afterAll(() => switchboard.close());

  const echo = (id: string, value: object) => ({ id, tool: 'probe_echo', arguments: { value } });
  const fail = (id: string, name: string) => ({
    id,
    tool: 'probe_fail',
    arguments: { name, code: 'conflict' },
  });
  const pause = { id: 'pause', wait: { days: 1 } };
  const begin = async (steps: object[], more: object = {}): Promise<TaskShape> => {
    const { id } = await createWorkflow(acme, steps);
    return await callForTask(acme, 'trigger_workflow', { workflow_id: id, ...more });
  };
  const post = (method: string, params: object, capabilities: object = TASKS) =>
    postModern(acme, taskRequest(method, params, capabilities));
  const paramsOf = (taskId: unknown) => ({ taskId, inputResponses: {} });

  it('is returned in place of the run_id to a client with the Tasks extension', async () => {
    const created = await begin([pause]);
    expect(created).toEqual({
      ...ACKNOWLEDGED,
      resultType: 'task',
      taskId: expect.stringMatching(/^run_\w{22}$/) as string,
      status: 'working',
      statusMessage: expect.any(String) as string,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      lastUpdatedAt: expect.stringMatching(/^\d{4}-/) as string,
      ttlMs: null,
      pollIntervalMs: expect.any(Number) as number,
    });
    expect((await getRun(acme, created.taskId)).id).toBe(created.taskId);
  });

  it('can be read immediately, but only by its organization', async () => {
    const { taskId } = await begin([pause]);
    expect(await getTask(acme, taskId)).toMatchObject({ resultType: 'complete', taskId });
  });

  it('ends with the results of its steps, which fit the output schema', async () => {
    const { id } = await createWorkflow(acme, [
      echo('first', { n: 1 }),
      { id: 'fork', if: 'first.value.n == 1', then: [echo('second', { of: '{{ first.value }}' })] },
      { ...fail('third', 'passed over'), on_error: 'continue' },
    ]);
    const { taskId } = await callForTask(acme, 'trigger_workflow', { workflow_id: id });
    const ended = await untilEnded(acme, taskId);
    const outcome = {
      run_id: taskId,
      status: 'succeeded',
      outputs: { first: { value: { n: 1 } }, second: { value: { of: { n: 1 } } } },
    };
    expect(ended).toEqual({
      ...ACKNOWLEDGED,
      taskId,
      status: 'completed',
      createdAt: expect.any(String) as string,
      lastUpdatedAt: (await getRun(acme, taskId)).finished_at,
      ttlMs: null,
      pollIntervalMs: 1000,
      result: {
        ...ACKNOWLEDGED,
        content: [{ type: 'text', text: expect.any(String) as string }],
        structuredContent: outcome,
      },
    });
    expect(textOf(ended)).toEqual(outcome);
    const { body } = await postModern(acme, modernRequest('tools/list'));
    const { tools } = (body as { result: { tools: { name: string; outputSchema: object }[] } })
      .result;
    new OutputSchemas(tools).check('trigger_workflow', ended.result!.structuredContent);
  });

  it('completes with a tool error when the run fails', async () => {
    const { taskId } = await begin([echo('first', {}), fail('second', 'task')]);
    const ended = await untilEnded(acme, taskId);
    expect(ended).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(ended.result).not.toHaveProperty('structuredContent');
    expect(textOf(ended)).toEqual({
      error: {
        code: 'conflict',
        message: `Run ${taskId} failed at step second: Told to fail.`,
      },
    });
  });

  it('reports a parked run as failed', async () => {
    const { taskId } = await begin([pause]);
    await runUntil(acme, taskId, 'waiting');
    await switchboard.ownerQuery(
      `update workflow_runs set status = 'failed', reason = 'poison', finished_at = now() where id = $1`,
      [taskId],
    );
    const ended = await getTask(acme, taskId);
    expect(ended).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(textOf(ended)).toEqual({
      error: { code: 'internal', message: `Run ${taskId} failed: poison.` },
    });
  });

  it('has a poll interval of one minute when the run waits for a day', async () => {
    const { taskId } = await begin([pause]);
    await runUntil(acme, taskId, 'waiting');
    const task = await getTask(acme, taskId);
    expect(task).toMatchObject({ status: 'working', pollIntervalMs: 60_000 });
    expect(task.statusMessage).toMatch(/^The run waits until \d{4}-/);
  });

  it('is canceled once by repeated requests', async () => {
    const { taskId } = await begin([pause]);
    await runUntil(acme, taskId, 'waiting');
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await post('tasks/cancel', { taskId });
      expect({ status, body }).toEqual({
        status: 200,
        body: { jsonrpc: '2.0', id: 1, result: ACKNOWLEDGED },
      });
    }
    const task = await getTask(acme, taskId);
    expect(task.status).toBe('cancelled');
    expect(task).not.toHaveProperty('result');
    expect(await getRun(acme, taskId)).toMatchObject({ status: 'canceled', reason: 'requested' });
    const traces = await tracesOf(switchboard, acme, 'tasks/cancel');
    expect(traces.filter((subject) => subject === taskId)).toHaveLength(1);
  });

  it('keeps its status when it is canceled after its end', async () => {
    const { taskId } = await begin([echo('only', {})]);
    const ended = await untilEnded(acme, taskId);
    expect((await post('tasks/cancel', { taskId })).body).toMatchObject({ result: ACKNOWLEDGED });
    expect(await getTask(acme, taskId)).toEqual(ended);
    expect(await tracesOf(switchboard, acme, 'tasks/cancel')).not.toContain(taskId);
  });

  it('notifies subscribers of the run once about its cancellation', async () => {
    const { taskId } = await begin([pause]);
    await runUntil(acme, taskId, 'waiting');
    const recorder = await ChangeRecorder.start(switchboard, acme.id);
    try {
      await recorder.takeAll(switchboard, acme.id);
      await post('tasks/cancel', { taskId });
      await post('tasks/cancel', { taskId });
      const ofRun = (await recorder.takeAll(switchboard, acme.id)).filter(
        (change) => change.kind === 'resource' && change.uri === `switchboard://runs/${taskId}`,
      );
      expect(ofRun).toHaveLength(1);
    } finally {
      recorder.close();
    }
  });

  it('can be canceled while a step runs', async () => {
    ProbeTools.hold('task');
    const { taskId } = await begin([
      { id: 'call', tool: 'probe_outside', arguments: { name: 'task' } },
    ]);
    await waitFor(() => ProbeTools.count('task') === 1);
    await post('tasks/cancel', { taskId });
    ProbeTools.open('task');
    expect((await untilEnded(acme, taskId)).status).toBe('cancelled');
  });

  it('has no input requests, so responses are acknowledged and dropped', async () => {
    const { taskId } = await begin([pause]);
    const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } };
    expect((await post('tasks/update', { taskId, inputResponses })).body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: ACKNOWLEDGED,
    });
    expect((await getTask(acme, taskId)).status).toBe('working');
  });

  it.each(sample([undefined, null, [], 'text'], 3))(
    'refuses inputResponses of %j',
    async (inputResponses) => {
      const { taskId } = await begin([pause]);
      const { status, body } = await post('tasks/update', { taskId, inputResponses });
      expect({ status, body }).toEqual({ status: 200, body: errorOf(-32602, 1) });
    },
  );

  it('is one task for one idempotency_key', async () => {
    const { id } = await createWorkflow(acme, [pause]);
    const given = { workflow_id: id, idempotency_key: 'task-1' };
    const { taskId } = await callForTask(acme, 'trigger_workflow', given);
    expect((await callForTask(acme, 'trigger_workflow', given)).taskId).toBe(taskId);
  });

  it('is not a task if the workflow cannot be started', async () => {
    const params = { name: 'trigger_workflow', arguments: { workflow_id: 'none' } };
    const { body } = await post('tools/call', params);
    expect(body).toMatchObject({ result: { resultType: 'complete', isError: true } });
  });

  describe.each(METHODS)('%s', (method) => {
    it.each(
      sample(['run_0000000000000000000000', 'gone', '', 'a\u0000b', 'größe', 'x'.repeat(5000)], 3),
    )('returns an error for the unknown id %j', async (taskId) => {
      const message = taskRequest(method, paramsOf(taskId));
      const name = `=?base64?${Buffer.from(taskId).toString('base64')}?=`;
      const { status, body } = await postModern(acme, message, { 'Mcp-Name': name });
      expect({ status, body }).toEqual({ status: 200, body: errorOf(-32602, 1) });
    });

    it.each(sample([undefined, null, 1, ['run_1'], { id: 'run_1' }], 3))(
      'refuses a taskId of %j',
      async (taskId) => {
        const { status, body } = await post(method, paramsOf(taskId));
        expect({ status, body }).toEqual({ status: 200, body: errorOf(-32602, 1) });
      },
    );

    it('does not find the task of another organization and does not change it', async () => {
      const { taskId } = await begin([pause]);
      const theirs = await postModern(globex, taskRequest(method, paramsOf(taskId)));
      const none = await postModern(globex, taskRequest(method, paramsOf('run_gone')));
      expect(theirs).toMatchObject({ status: 200, body: errorOf(-32602, 1) });
      expect(theirs.text).toBe(none.text);
      expect((await getTask(acme, taskId)).status).toBe('working');
    });

    it.each(
      sample(
        [
          ['is missing', undefined],
          ['names another task', 'run_other'],
          ['is not valid base64', '=?base64?*?='],
        ],
        2,
      ),
    )('is refused when Mcp-Name %s', async (_case, name) => {
      const { taskId } = await begin([pause]);
      const message = taskRequest(method, paramsOf(taskId));
      const { status, body } = await postModern(acme, message, { 'Mcp-Name': name });
      expect({ status, body }).toEqual({ status: 400, body: errorOf(-32020, 1) });
      expect((await getTask(acme, taskId)).status).toBe('working');
    });

    it.each(
      sample(
        [
          {},
          { extensions: {} },
          { extensions: null },
          { extensions: ['io.modelcontextprotocol/tasks'] },
          { extensions: { 'io.modelcontextprotocol/tasks': null } },
          { tasks: {} },
        ],
        3,
      ),
    )('is refused to a client that declares %j', async (capabilities) => {
      const { taskId } = await begin([pause]);
      const { status, body } = await post(method, paramsOf(taskId), capabilities);
      expect({ status, body }).toEqual({ status: 400, body: NOT_DECLARED });
      expect((await getTask(acme, taskId)).status).toBe('working');
    });

    it('is an unknown method in other eras', async () => {
      const message = { jsonrpc: '2.0', id: 1, method, params: paramsOf('run_1') };
      const eras: Record<string, string>[] = [{}, { 'MCP-Protocol-Version': '2025-11-25' }];
      for (const headers of eras) {
        const { status, body } = await answerOf(acme.rpc(message, headers));
        expect({ status, body }).toEqual({ status: 200, body: errorOf(-32601, 1) });
      }
    });
  });

  describe('in an organization with tool policies', () => {
    let strict: TestOrganization;
    let taskId: string;

    beforeEach(async () => {
      strict = await createOrganization(switchboard);
      const { id } = await createWorkflow(strict, [pause]);
      ({ taskId } = await callForTask(strict, 'trigger_workflow', { workflow_id: id }));
    });

    const decide = (tool: string, policy: object) =>
      strict.call('set_tool_policy', { tool, ...policy });
    const cancel = () => postModern(strict, taskRequest('tasks/cancel', { taskId }));

    it('is unknown after the tool that started it is hidden', async () => {
      await decide('trigger_workflow', { hidden: true });
      for (const method of METHODS) {
        const { body } = await postModern(strict, taskRequest(method, paramsOf(taskId)));
        expect(body).toEqual(errorOf(-32602, 1));
      }
      await decide('trigger_workflow', { hidden: false });
      expect((await getTask(strict, taskId)).status).toBe('working');
    });

    it.each(sample([{ hidden: true }, { confirmation: 'always' }], 2))(
      'is unknown if get_run is not allowed: %j',
      async (policy) => {
        await decide('get_run', policy);
        for (const method of METHODS) {
          const { body } = await postModern(strict, taskRequest(method, paramsOf(taskId)));
          expect(body).toEqual(errorOf(-32602, 1));
        }
        const { id } = await createWorkflow(strict, [pause]);
        const call = { name: 'trigger_workflow', arguments: { workflow_id: id } };
        const { body } = await postModern(strict, taskRequest('tools/call', call));
        expect(body).toMatchObject({
          result: { resultType: 'complete', structuredContent: { run_id: expect.any(String) } },
        });
        await decide('get_run', { hidden: false, confirmation: 'never' });
        expect((await getTask(strict, taskId)).status).toBe('working');
      },
    );

    it.each(sample([{ hidden: true }, { confirmation: 'always' }], 2))(
      'cannot be canceled if cancel_run is not allowed: %j',
      async (policy) => {
        await decide('cancel_run', policy);
        const { status, body } = await cancel();
        expect({ status, body }).toEqual({ status: 200, body: errorOf(1403, 1) });
        expect((await getTask(strict, taskId)).status).toBe('working');
      },
    );

    it('can be canceled if the confirmation of cancel_run is when_possible', async () => {
      await decide('cancel_run', { confirmation: 'when_possible' });
      expect((await cancel()).body).toMatchObject({ result: ACKNOWLEDGED });
      expect((await getTask(strict, taskId)).status).toBe('cancelled');
    });
  });

  describe('is not returned to callers without the Tasks extension: trigger_workflow', () => {
    const callOf = (workflowId: string, _meta?: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'trigger_workflow',
        arguments: { workflow_id: workflowId },
        ...(_meta && { _meta }),
      },
    });
    const RUN_ID = { run_id: expect.stringMatching(/^run_/) as string };

    it.each([
      ['plain JSON-RPC', {}],
      ['MCP 2025-11-25', { 'MCP-Protocol-Version': '2025-11-25' }],
    ])('starts a run and returns its id: %s', async (_case, headers) => {
      const { id } = await createWorkflow(acme, [pause]);
      const declared = { 'io.modelcontextprotocol/clientCapabilities': TASKS };
      const { body } = await answerOf(acme.rpc(callOf(id, declared), headers));
      expect(textOf(body)).toEqual(RUN_ID);
      expect((body as { result: object }).result).not.toHaveProperty('taskId');
    });

    it.each([{}, { extensions: {} }, { extensions: { 'io.modelcontextprotocol/tasks': true } }])(
      'starts a run and returns its id: MCP 2026-07-28 with %j',
      async (capabilities) => {
        const { id } = await createWorkflow(acme, [pause]);
        const { params } = callOf(id);
        const { body } = await post('tools/call', params, capabilities);
        expect(body).toMatchObject({ result: { resultType: 'complete' } });
        expect(textOf(body)).toEqual(RUN_ID);
      },
    );
  });

  itSlow('can be read from every process, and survives the process that started it', async () => {
    const databaseUrl = switchboard.databaseUrl;
    const first = await startSwitchboard({ databaseUrl, env: { ROLE: 'web' } });
    const { id } = await createWorkflow(acme, [pause]);
    let taskId: string;
    try {
      const at = elsewhere(first, acme);
      ({ taskId } = await callForTask(at, 'trigger_workflow', { workflow_id: id }));
    } finally {
      await first.close();
    }
    const second = await startSwitchboard({ databaseUrl, env: { ROLE: 'web' } });
    try {
      const at = elsewhere(second, acme);
      expect(await getTask(at, taskId)).toMatchObject({ taskId, status: 'working' });
      await postModern(at, taskRequest('tasks/cancel', { taskId }));
    } finally {
      await second.close();
    }
    expect((await getTask(acme, taskId)).status).toBe('cancelled');
  });
});

/** Returns a copy of the organization whose `rpc` sends requests to another process. */
function elsewhere(other: Switchboard, organization: TestOrganization): TestOrganization {
  const { key } = organization;
  const rpc: TestOrganization['rpc'] = (body, headers = {}) =>
    fetch(`${other.url}/api/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { ...organization, rpc };
}
