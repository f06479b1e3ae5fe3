import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors/app-error.js';
import type { Task, TaskSource } from '../../src/tools/contract/task-source.js';
import { Tool, ToolContent } from '../../src/tools/contract/tool.decorator.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import { postModern } from './support/modern.js';
import { TASKS, type TaskShape, callForTask, getTask, taskRequest } from './support/task-client.js';
import { JobTasks, TaskTools } from './support/task.tools.js';

const accept = (content: object) => ({ action: 'accept', content });

/** A task source whose system is unavailable. */
@Injectable()
class AwayTasks implements TaskSource {
  private readonly away = new AppError('unavailable', 'Try again later.');

  idOf(): string {
    return 'away';
  }

  async find(_organizationId: string, id: string): Promise<Task | undefined> {
    if (id === 'away') throw this.away;
    const at = new Date();
    return id === 'there'
      ? { id, createdAt: at, changedAt: at, state: { status: 'working' } }
      : undefined;
  }

  async cancel(): Promise<boolean> {
    throw this.away;
  }
}

class NoInput {}

@Injectable()
class AwayTools {
  @Tool({ name: 'go_away', title: 'Go', description: 'Goes.', task: AwayTasks })
  async go(_input: NoInput): Promise<ToolContent> {
    return ToolContent.text('Gone.');
  }
}

describe('tasks of a task source that is not built in', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({
      providers: [AwayTasks, AwayTools, JobTasks, TaskTools],
    });
    [acme, globex] = [await createOrganization(switchboard), await createOrganization(switchboard)];
  });
  afterAll(() => switchboard.close());

  const update = (taskId: string, inputResponses: object, organization = acme) =>
    postModern(organization, taskRequest('tasks/update', { taskId, inputResponses }));
  const questions = async (taskId: string) =>
    Object.keys((await getTask(acme, taskId)).inputRequests ?? {});

  it('end with the content that their tool would have returned', async () => {
    const { taskId, status } = await callForTask(acme, 'slow_compute', { seconds: 0 });
    expect(status).toBe('completed');
    expect(await getTask(acme, taskId)).toMatchObject({
      status: 'completed',
      result: { resultType: 'complete', content: [{ type: 'text', text: 'Computed.' }] },
    });
  });

  it('are not started if the caller accepts no tasks', async () => {
    const call = { name: 'slow_compute', arguments: { seconds: 60 } };
    const { body } = await postModern(acme, taskRequest('tools/call', call, {}));
    expect(body).toMatchObject({
      result: { resultType: 'complete', content: [{ text: 'Computed at once.' }] },
    });
  });

  it('can be required by a tool', async () => {
    const call = { name: 'failing_job', arguments: {} };
    const { status, body } = await postModern(acme, taskRequest('tools/call', call, {}));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        code: -32021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      },
    });
  });

  it('fail with a JSON-RPC error only if the work was lost', async () => {
    const { taskId } = await callForTask(acme, 'protocol_error_job');
    const task = await getTask(acme, taskId);
    expect(task).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(task).not.toHaveProperty('result');
  });

  it('send input requests while they run, and continue with the responses', async () => {
    const { taskId, ...created } = await callForTask(acme, 'confirm_delete', { filename: 'a.txt' });
    expect(created).toMatchObject({ status: 'input_required' });
    expect(created).not.toHaveProperty('inputRequests');
    expect((await getTask(acme, taskId)).inputRequests).toEqual({
      'confirm-1': {
        method: 'elicitation/create',
        params: {
          message: 'Delete a.txt?',
          requestedSchema: {
            type: 'object',
            properties: { confirm: { type: 'boolean' } },
            required: ['confirm'],
          },
        },
      },
    });
    const { body } = await update(taskId, { 'confirm-1': accept({ confirm: true }) });
    expect(Object.keys((body as { result: object }).result).sort()).toEqual([
      '_meta',
      'resultType',
    ]);
    expect(await getTask(acme, taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Deleted a.txt.' }] },
    });
  });

  it('accept responses one by one, and only to open input requests', async () => {
    const { taskId } = await callForTask(acme, 'multi_input');
    await update(taskId, { other: accept({}), __proto__: accept({}), toString: accept({}) });
    await update(taskId, { 'name-1': accept({ name: 5 }) });
    expect(await questions(taskId)).toEqual(['name-1', 'confirm-1']);
    await update(taskId, { 'name-1': accept({ name: 'Ada' }) });
    expect(await questions(taskId)).toEqual(['confirm-1']);
    await update(taskId, { 'name-1': accept({ name: 'Eve' }) });
    expect(await questions(taskId)).toEqual(['confirm-1']);
    await update(taskId, { 'confirm-1': accept({ confirm: false }) });
    expect((await getTask(acme, taskId)).status).toBe('completed');
    const audited = await switchboard.ownerQuery(
      `select from audit_log where action = 'tasks/update' and subject = $1`,
      [taskId],
    );
    expect(audited).toHaveLength(3);
  });

  it.each([
    ['tasks/get', 'away'],
    ['tasks/update', 'away'],
    ['tasks/cancel', 'away'],
    ['tasks/cancel', 'there'],
  ])(
    'fail with unavailable and not as bugs while their system is unavailable: %s of the task %s',
    async (method, taskId) => {
      const params = { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) };
      const { body } = await postModern(acme, taskRequest(method, params));
      expect(body).toMatchObject({ error: { code: 1503, message: 'Try again later.' } });
    },
  );

  it('return the result of the tool if their look-up fails', async () => {
    const call = { name: 'go_away', arguments: {} };
    const { body } = await postModern(acme, taskRequest('tools/call', call));
    expect(body).toMatchObject({
      result: { resultType: 'complete', content: [{ text: 'Gone.' }] },
    });
    expect(body).not.toHaveProperty('result.isError');
  });

  it('accept no responses from another organization', async () => {
    const { taskId } = await callForTask(acme, 'confirm_delete', { filename: 'b.txt' });
    const { body } = await update(taskId, { 'confirm-1': accept({ confirm: true }) }, globex);
    expect(body).toMatchObject({ error: { code: -32602 } });
    expect((await getTask(acme, taskId)).status).toBe('input_required');
  });

  it('start after all input requests of the tool have responses', async () => {
    const capabilities = { ...TASKS, elicitation: {} };
    const params = { name: 'test_tool_with_task', arguments: {} };
    const asked = await postModern(acme, taskRequest('tools/call', params, capabilities));
    const { result } = asked.body as { result: TaskShape & { requestState: string } };
    expect(result).toMatchObject({ resultType: 'input_required' });
    expect(result).not.toHaveProperty('taskId');
    const answered = {
      ...params,
      requestState: result.requestState,
      inputResponses: { user_name: accept({ name: 'Ada' }) },
    };
    const { body } = await postModern(acme, taskRequest('tools/call', answered, capabilities));
    const created = (body as { result: TaskShape }).result;
    expect(created).toMatchObject({ resultType: 'task' });
    expect(created).not.toHaveProperty('requestState');
    expect(await getTask(acme, created.taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Hello, Ada!' }] },
    });
  });
});

it('a tool whose task source no module provides stops the boot', async () => {
  await expect(startSwitchboard({ providers: [TaskTools] })).rejects.toThrow('JobTasks');
});
