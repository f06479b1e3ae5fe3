import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { expectReading } from './support/reading-client.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
const clients: Client[] = [];

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Connects the official SDK of generation 1, and collects every error that it reports. */
async function connect(key: string): Promise<{ client: Client; errors: Error[] }> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  const errors: Error[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK offers this property only
  client.onerror = (error) => errors.push(error);
  const transport = new StreamableHTTPClientTransport(new URL(`${switchboard.url}/api/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return { client, errors };
}

it('the official client of generation 1 connects and gets the name of the server', async () => {
  const { client, errors } = await connect(acme.key);
  expect(client.getServerVersion()).toMatchObject({ name: 'switchboard' });
  expect(client.getServerCapabilities()).toEqual({
    tools: {},
    resources: {},
    prompts: {},
    completions: {},
  });
  expect(client.getInstructions()).toContain('send_message');
  expect(await client.ping()).toEqual({});
  expect(errors).toEqual([]);
});

it('the official client lists the tools', async () => {
  const { client, errors } = await connect(acme.key);
  const { tools, nextCursor } = await client.listTools();
  expect(nextCursor).toBeUndefined();
  expect(tools.find((tool) => tool.name === 'echo_text')).toMatchObject({
    title: 'Echo',
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    outputSchema: { type: 'object' },
  });
  expect(errors).toEqual([]);
});

it('the official client calls a tool and validates its result with the output schema', async () => {
  const { client, errors } = await connect(acme.key);
  // The client validates structuredContent with the schemas of the list.
  await client.listTools();
  const result = await client.callTool({ name: 'echo_text', arguments: { text: 'hi' } });
  expect(result).toEqual({
    content: [{ type: 'text', text: '{"text":"hi"}' }],
    structuredContent: { text: 'hi' },
  });
  expect(errors).toEqual([]);
});

it.each(['clash', 'denied', 'crash', 'echo_text'])(
  'the official client gets isError for a failing tool: %s',
  async (name) => {
    const { client, errors } = await connect(acme.key);
    await client.listTools();
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({ isError: true });
    expect(errors).toEqual([]);
  },
);

it('the official client reads resources, gets prompts and completes their arguments', async () => {
  const { client, errors } = await connect(acme.key);
  await expectReading(client, errors);
});

it('the official client gets the code of a JSON-RPC error', async () => {
  const { client } = await connect(acme.key);
  const call = client.callTool({ name: 'unheard_of', arguments: {} });
  await expect(call).rejects.toBeInstanceOf(McpError);
  await expect(call).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
});

it('the official client gets 401 for a wrong key', async () => {
  await expect(connect(`${acme.key.slice(0, -1)}!`)).rejects.toSatisfy(
    (error) => error instanceof StreamableHTTPError && error.code === 401,
  );
});
