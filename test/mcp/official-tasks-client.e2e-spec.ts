import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  resultFromTaskOutcome,
  type SerializedTaskReference,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import { createWorkflow, getRun } from '../workflows/support/workflow-client.js';
import { MODERN, modernHeaders } from './support/modern.js';
import { JobTasks, TaskTools } from './support/task.tools.js';

const CLIENT = { name: 'test', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };

let switchboard: Switchboard;
let acme: TestOrganization;
const clients: Client[] = [];

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProbeTools, JobTasks, TaskTools] });
  acme = await createOrganization(switchboard);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => switchboard.close());

/** Connects the official client of the extension. `rawDispatch` sends the requests for which the SDK has no types. */
async function connect(): Promise<TaskEnabledSession> {
  const client = new Client(CLIENT, {
    versionNegotiation: { mode: { pin: MODERN } },
    capabilities: CAPABILITIES,
  });
  clients.push(client);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${switchboard.url}/api/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${acme.key}` } },
    }),
  );
  let id = 0;
  return createTaskSessionFromClient(client, {
    endpointId: switchboard.url,
    v2RequestFraming: {
      protocolVersion: MODERN,
      clientInfo: CLIENT,
      clientCapabilities: CAPABILITIES,
    },
    rawDispatch: async (request): Promise<JsonRpcResponse> => {
      const message = { ...(request as object), jsonrpc: '2.0', id: (id += 1) };
      const response = await acme.rpc(message, modernHeaders(message));
      const body = (await response.json()) as { result: object; error: undefined };
      return (
        body.error ? { kind: 'error', error: body.error } : { kind: 'result', result: body.result }
      ) as JsonRpcResponse;
    },
    onInputRequest: async () => ({ action: 'accept', content: { confirm: true } }) as never,
  });
}

describe('the official client of the Tasks extension', () => {
  const workflow = (...steps: object[]) => createWorkflow(acme, steps);

  it('finds the extension and polls a run to its end', async () => {
    const session = await connect();
    expect(session.capabilities).toMatchObject({ execution: true, cancellation: true });
    const { id } = await workflow({ id: 'a', tool: 'probe_echo', arguments: { value: { n: 1 } } });
    const execution = await session.callTool('trigger_workflow', { workflow_id: id });
    expect(execution.kind).toBe('task');
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({
      structuredContent: { status: 'succeeded', outputs: { a: { value: { n: 1 } } } },
    });
  });

  it('gets a failed run as a failed tool', async () => {
    const session = await connect();
    const { id } = await workflow({
      id: 'a',
      tool: 'probe_fail',
      arguments: { name: 'x', code: 'conflict' },
    });
    const execution = await session.callTool('trigger_workflow', { workflow_id: id });
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { isError: true } });
  });

  it('cancels a run', async () => {
    const session = await connect();
    const { id } = await workflow({ id: 'pause', wait: { days: 1 } });
    const execution = await session.callTool('trigger_workflow', { workflow_id: id });
    await execution.cancel();
    expect((await getRun(acme, execution.handle!.taskId)).status).toBe('canceled');
    expect(await session.task(execution.handle!.taskId).snapshot()).toMatchObject({
      status: 'cancelled',
    });
  });

  it('continues with a task of an earlier session', async () => {
    const first = await connect();
    const { id } = await workflow({ id: 'a', tool: 'probe_echo', arguments: { value: {} } });
    const execution = await first.callTool('trigger_workflow', { workflow_id: id });
    if (execution.kind !== 'task') throw new Error('The result is not a task.');
    let reference: SerializedTaskReference | undefined;
    await execution.handoff((handed) => {
      reference = handed;
    });
    // The first session stays open, because closing it would send tasks/cancel (ext-tasks 0.2.2).
    const second = await connect();
    const resumed = await second.resumeTask(reference!);
    expect((await resumed.settle()).outcome).toMatchObject({ status: 'completed' });
  });

  it('responds to the input requests of a task', async () => {
    const session = await connect();
    const execution = await session.callTool('confirm_delete', { filename: 'c.txt' });
    expect((await execution.settle()).outcome).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Deleted c.txt.' }] },
    });
  });

  it('gets the result immediately when the tool starts no task', async () => {
    const session = await connect();
    const execution = await session.callTool('greet', { name: 'Ada' });
    expect(execution.kind).toBe('immediate');
    expect((await execution.settle()).outcome).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Hello, Ada!' }] },
    });
  });
});
