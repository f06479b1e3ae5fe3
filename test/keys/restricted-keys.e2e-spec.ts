import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf } from '../mcp/support/answer.js';
import { modernRequest, postModern } from '../mcp/support/modern.js';
import { callForTask, taskRequest } from '../mcp/support/task-client.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  callTool,
  ERAS,
  listTools,
  namesOf,
  offerSteps,
  rpc,
  said,
} from '../workflows/support/offer-client.js';

const STEP = { id: 'made', tool: 'create_contact', arguments: { email: 'step@example.com' } };
const HOUR_MS = 3_600_000;

interface KeyAnswer {
  api_key: string;
  errors?: { path: string; message: string }[];
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const post = (options: object): Promise<Response> =>
  acme.fetch('/api/mcp/keys', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(options),
  });

/** Returns the organization with a new key. The given organization keeps its old key, which is revoked. */
async function withKey(options: object): Promise<TestOrganization> {
  const response = await post(options);
  expect(response.status).toBe(201);
  const { api_key: key } = (await response.json()) as KeyAnswer;
  return {
    ...acme,
    key,
    rpc: (body, headers = {}) => acme.rpc(body, { Authorization: `Bearer ${key}`, ...headers }),
  };
}

const describeKey = async (): Promise<Record<string, unknown>> =>
  ((await (await acme.fetch('/api/mcp/keys')).json()) as { key: Record<string, unknown> }).key;

const contactCount = async (): Promise<number> =>
  (await acme.call<{ contacts: object[] }>('search_contacts')).value.contacts.length;

describe('a read-only key', () => {
  it.each(sample(ERAS, 5))(
    'lists only tools that change nothing, and may call them: %s',
    async (era) => {
      const agent = await withKey({ read_only: true });
      const tools = await listTools(agent, era);
      expect(tools.length).toBeGreaterThan(5);
      expect(namesOf(tools)).not.toContain('create_contact');
      if (era !== undefined && era >= '2025-03-26') {
        for (const { annotations } of tools)
          expect(annotations).toMatchObject({ readOnlyHint: true });
      }
      expect(said(await callTool(agent, 'search_contacts', {}, era))).toMatchObject({
        contacts: [],
      });
    },
  );

  it.each(sample(ERAS, 5))(
    'cannot call any tool that changes data, and the error gives the reason: %s',
    async (era) => {
      const everyTool = namesOf(await listTools(acme));
      const agent = await withKey({ read_only: true });
      const permitted = namesOf(await listTools(agent));
      const refused = everyTool.filter((name) => !permitted.includes(name));
      expect(refused.length).toBeGreaterThan(10);
      for (const name of refused) {
        const answer = await callTool(agent, name, { email: 'a@example.com' }, era);
        expect(answer.result?.isError).toBe(true);
        expect(said(answer)).toEqual({
          error: {
            code: 'forbidden',
            message: `This API key is read-only, and ${name} changes data. Ask an owner for a key that may change data.`,
          },
        });
      }
      expect(await contactCount()).toBe(0);
    },
  );

  it('is refused in a batch and in a dry run', async () => {
    const agent = await withKey({ read_only: true });
    const params = { name: 'create_contact', arguments: { email: 'a@example.com' } };
    for (const _meta of [undefined, { 'switchboard/dryRun': true }]) {
      const call = { jsonrpc: '2.0', method: 'tools/call', params: { ...params, _meta } };
      const { body } = await answerOf(
        agent.rpc([
          { ...call, id: 1 },
          { ...call, id: 2 },
        ]),
      );
      for (const { result } of body as { result: { isError?: boolean } }[]) {
        expect(result.isError).toBe(true);
      }
    }
    expect(await contactCount()).toBe(0);
  });

  it('neither lists nor calls an offered workflow', async () => {
    await offerSteps(acme, [STEP], 'place_order');
    expect(namesOf(await listTools(acme))).toContain('place_order');
    const agent = await withKey({ read_only: true });
    expect(namesOf(await listTools(agent))).not.toContain('place_order');
    expect(said(await callTool(agent, 'place_order', { item: 'tea' }))).toMatchObject({
      error: { code: 'forbidden' },
    });
    expect(await contactCount()).toBe(0);
  });

  it('cannot cancel or answer the task of another key', async () => {
    const step = { id: 'held', wait: { days: 1 } };
    await offerSteps(acme, [step], 'hold_order', { wait_seconds: 1 });
    const { taskId } = await callForTask(acme, 'hold_order', { item: 'tea' });
    const agent = await withKey({ read_only: true });
    for (const [method, params] of [
      ['tasks/cancel', { taskId }],
      ['tasks/update', { taskId, inputResponses: {} }],
    ] as const) {
      const { body } = await postModern(agent, taskRequest(method, params));
      expect(body).toHaveProperty('error');
    }
    const { value } = await acme.call<{ runs: { status: string }[] }>('list_runs');
    expect(value.runs[0]?.status).not.toBe('canceled');
  });

  it('reads resources, and gets no prompt that leads to changes', async () => {
    const agent = await withKey({ read_only: true });
    expect(await rpc(agent, 'resources/read', { uri: 'switchboard://contacts' })).toHaveProperty(
      'result',
    );
    const { result } = await rpc(agent, 'prompts/list');
    expect(JSON.stringify(result)).not.toContain('build_workflow');
  });
});

describe('a key with a list of tools', () => {
  it.each(sample(ERAS, 5))(
    'lists and calls only the tools of its list, and learns why other tools are refused: %s',
    async (era) => {
      const agent = await withKey({ tools: ['get_contact', 'create_contact'] });
      expect(namesOf(await listTools(agent, era))).toEqual(['create_contact', 'get_contact']);
      const created = await callTool(agent, 'create_contact', { email: 'a@example.com' }, era);
      expect(said(created)).toMatchObject({ created: true });
      expect(said(await callTool(agent, 'delete_contact', { contact_id: 'x' }, era))).toEqual({
        error: {
          code: 'forbidden',
          message:
            'This API key may not call delete_contact. It may call: create_contact, get_contact. Ask an owner for a key with this tool.',
        },
      });
      expect(await callTool(agent, 'no_such_tool', {}, era)).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('Unknown tool') as string },
      });
    },
  );

  it('may call an offered workflow of the list only', async () => {
    await offerSteps(acme, [STEP], 'place_order');
    await offerSteps(acme, [STEP], 'other_order');
    const agent = await withKey({ tools: ['place_order'] });
    expect(namesOf(await listTools(agent))).toEqual(['place_order']);
    expect((await callTool(agent, 'place_order', { item: 'tea' })).result?.isError).toBeUndefined();
    expect(said(await callTool(agent, 'other_order', { item: 'tea' }))).toMatchObject({
      error: { code: 'forbidden' },
    });
  });

  it('reads no resource, prompt, completion or task of other tools', async () => {
    const step = { id: 'held', wait: { days: 1 } };
    await offerSteps(acme, [step], 'hold_order', { wait_seconds: 1 });
    const { taskId } = await callForTask(acme, 'hold_order', { item: 'tea' });
    const agent = await withKey({ tools: ['get_message'] });
    const { result } = await rpc(agent, 'resources/list');
    expect(JSON.stringify(result)).not.toContain('switchboard://contacts');
    expect(await rpc(agent, 'resources/read', { uri: 'switchboard://contacts' })).toHaveProperty(
      'error',
    );
    expect((await rpc(agent, 'prompts/list')).result).toMatchObject({ prompts: [] });
    const completion = await rpc(agent, 'completion/complete', {
      ref: { type: 'ref/resource', uri: 'switchboard://contacts/{contact_id}' },
      argument: { name: 'contact_id', value: '' },
    });
    expect(completion).toHaveProperty('error');
    const { body } = await postModern(agent, taskRequest('tasks/get', { taskId }));
    expect(body).toHaveProperty('error');
  });

  it('cannot reach other tools through the steps of a workflow that it saves', async () => {
    const target = await offerSteps(acme, [STEP], 'place_order');
    const agent = await withKey({ tools: ['create_workflow', 'update_workflow', 'get_contact'] });
    const definition = { name: 'Detour', trigger: { type: 'webhook' } };
    for (const step of [STEP, { id: 'again', run_workflow: target }]) {
      const given = { ...definition, steps: [step] };
      expect(said(await callTool(agent, 'create_workflow', given))).toMatchObject({
        error: { code: 'invalid_arguments', message: expect.stringContaining('API key') as string },
      });
    }
    const read = { id: 'read', tool: 'get_contact', arguments: { email: 'a@example.com' } };
    const saved = await callTool(agent, 'create_workflow', { ...definition, steps: [read] });
    const { workflow } = said<{ workflow: { id: string } }>(saved);
    const change = { workflow_id: workflow.id, steps: [STEP] };
    expect(said(await callTool(agent, 'update_workflow', change))).toHaveProperty('error');
  });
});

describe('the options of a new key', () => {
  it('are shown with the key', async () => {
    const expires = new Date(Date.now() + HOUR_MS).toISOString();
    await withKey({ expires_at: expires, tools: ['get_contact', 'get_contact'], read_only: true });
    expect(await describeKey()).toMatchObject({
      expires_at: expires,
      read_only: true,
      tools: ['get_contact'],
    });
    await withKey({ expires_in_days: 1 });
    const { expires_at: next } = await describeKey();
    expect(Math.abs(Date.parse(next as string) - Date.now() - 24 * HOUR_MS)).toBeLessThan(HOUR_MS);
  });

  it.each([
    ['an unknown tool', { tools: ['get_contact', 'get_contacts'] }, 'tools[1]'],
    ['a tool for people only', { tools: ['approve_confirmation'] }, 'tools[0]'],
    ['no tool', { tools: [] }, 'tools'],
    ['101 tools', { tools: Array.from({ length: 101 }, () => 'get_contact') }, 'tools'],
    [
      'a changing tool of a read-only key',
      { read_only: true, tools: ['send_message'] },
      'tools[0]',
    ],
    ['a past time', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['a time without zone', { expires_at: '2999-01-01T00:00:00' }, 'expires_at'],
    ['two times', { expires_at: '2027-01-01T00:00:00Z', expires_in_days: 1 }, 'expires_in_days'],
    ['zero days', { expires_in_days: 0 }, 'expires_in_days'],
    ['a text as flag', { read_only: 'yes' }, 'read_only'],
    ['an unknown member', { organization_id: 'x' }, 'organization_id'],
    ['a list as body', [], ''],
  ])('are refused with %s, and the current key stays', async (_case, options, path) => {
    const response = await post(options);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as KeyAnswer;
    expect(errors?.[0]?.path).toBe(path);
    expect(namesOf(await listTools(acme)).length).toBeGreaterThan(0);
  });

  it('are refused with an unknown tool, and similar names are shown', async () => {
    const response = await post({ tools: ['get_contacts'] });
    const { errors } = (await response.json()) as KeyAnswer;
    expect(errors?.[0]?.message).toContain('Did you mean get_contact');
  });
});

describe('an ended key', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('gets the time of its revocation when the whole key is sent, and nothing when one character is changed', async () => {
    const before = Date.now();
    await withKey({});
    const { status, body, headers } = await answerOf(acme.rpc(LIST));
    expect(status).toBe(401);
    const { message } = (body as { error: { message: string } }).error;
    const [, time] = /^This API key was revoked at (\S+)\. Ask an owner/.exec(message)!;
    expect(Math.abs(Date.parse(time!) - before)).toBeLessThan(HOUR_MS);
    expect(headers.get('www-authenticate')).toContain(`The API key was revoked at ${time}`);
    const changed = acme.key.slice(0, 20) + (acme.key[20] === 'a' ? 'b' : 'a') + acme.key.slice(21);
    const stranger = await answerOf(acme.rpc(LIST, { Authorization: `Bearer ${changed}` }));
    expect(stranger.text).toContain('unknown or revoked');
  });

  it('is refused after its expiry, with the time of the expiry', async () => {
    const agent = await withKey({ expires_in_days: 1 });
    expect((await agent.rpc(LIST)).status).toBe(200);
    await switchboard.ownerQuery(
      `update api_keys set expires_at = now() - interval '1 second' where organization_id = $1`,
      [acme.id],
    );
    const { status, text } = await answerOf(agent.rpc(LIST));
    expect(status).toBe(401);
    expect(text).toMatch(/This API key expired at \d{4}-/);
  });
});

describe('the last use of a key', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: `Probe\n\u001b[31m\u202e${'x'.repeat(5000)}`, version: '1.2' },
    },
  };
  const makeStale = () =>
    switchboard.ownerQuery(
      `update api_keys set last_used_at = now() - interval '2 minutes' where organization_id = $1`,
      [acme.id],
    );
  const lastClient = (client: string) =>
    waitFor(async () => ((await describeKey()).last_used_client === client ? true : undefined));

  it('has the address, and the client name from initialize, shortened and without control characters', async () => {
    await acme.rpc(INITIALIZE, { 'User-Agent': 'probe-http/1' });
    await waitFor(async () => ((await describeKey()).last_used_at ? true : undefined));
    const { last_used_client: client, last_used_address: address } = await describeKey();
    expect(address).toBe('127.0.0.1');
    expect(client).toMatch(/^Probe \[31m x+$/);
    expect((client as string).length).toBeLessThanOrEqual(200);
  });

  it('keeps the client name until a request has another User-Agent, which replaces the name', async () => {
    const named = structuredClone(INITIALIZE);
    named.params.clientInfo.name = 'Probe';
    await acme.rpc(named, { 'User-Agent': 'probe-http/1' });
    await lastClient('Probe 1.2');
    await makeStale();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    await acme.rpc(list, { 'User-Agent': 'probe-http/1' });
    await waitFor(async () => {
      const used = (await describeKey()).last_used_at as string;
      return Date.now() - Date.parse(used) < 60_000 ? true : undefined;
    });
    expect((await describeKey()).last_used_client).toBe('Probe 1.2');
    await makeStale();
    await acme.rpc(list, { 'User-Agent': 'curl/8' });
    await lastClient('curl/8');
    await makeStale();
    const modern = modernRequest('tools/list');
    Object.assign(modern.params._meta, {
      'io.modelcontextprotocol/clientInfo': { name: 'Modern', version: '3' },
    });
    await postModern(acme, modern);
    await lastClient('Modern 3');
  });

  it('is recorded for a message that cannot be read', async () => {
    await acme.rpc('not JSON', { 'User-Agent': 'broken/1' });
    await lastClient('broken/1');
  });
});
