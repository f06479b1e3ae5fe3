import {
  Client,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProtocolTools } from './support/protocol.tools.js';
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

/** Connects the official SDK of generation 2, and collects every error that it reports. */
async function connect(
  versionNegotiation: VersionNegotiationOptions | undefined,
  key = acme.key,
): Promise<{ client: Client; errors: Error[] }> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    versionNegotiation && { versionNegotiation },
  );
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

describe.each<[string, VersionNegotiationOptions | undefined, string]>([
  ['with its default negotiation', undefined, '2025-11-25'],
  ['with automatic negotiation', { mode: 'auto' }, '2026-07-28'],
  ['with a pinned version', { mode: { pin: '2026-07-28' } }, '2026-07-28'],
])('the official client of generation 2, %s', (_case, negotiation, version) => {
  it('connects and gets the name of the server', async () => {
    const { client, errors } = await connect(negotiation);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'switchboard' });
    const plain = { tools: {}, resources: {}, prompts: {}, completions: {} };
    const modern = {
      ...plain,
      tools: { listChanged: true },
      resources: { subscribe: true },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    };
    const isModern = version === '2026-07-28';
    expect(client.getServerCapabilities()).toEqual(isModern ? modern : plain);
    expect(client.getInstructions()).toContain('send_message');
    expect(errors).toEqual([]);
  });

  it('lists the tools, calls one, and validates its result', async () => {
    const { client, errors } = await connect(negotiation);
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === 'echo_text')).toMatchObject({
      title: 'Echo',
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
    });
    const result = await client.callTool({ name: 'echo_text', arguments: { text: 'größe' } });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"text":"größe"}' }],
      structuredContent: { text: 'größe' },
    });
    expect(errors).toEqual([]);
  });

  it('reads resources, gets prompts and completes their arguments', async () => {
    const { client, errors } = await connect(negotiation);
    await expectReading(client, errors);
  });

  it.each(['clash', 'denied', 'crash', 'echo_text'])(
    'gets isError for a failing tool: %s',
    async (name) => {
      const { client, errors } = await connect(negotiation);
      expect(await client.callTool({ name, arguments: {} })).toMatchObject({ isError: true });
      expect(errors).toEqual([]);
    },
  );

  it.each(['unheard_of', 'größe'])('gets the code of a JSON-RPC error: %s', async (name) => {
    const { client } = await connect(negotiation);
    const call = client.callTool({ name, arguments: {} });
    await expect(call).rejects.toBeInstanceOf(ProtocolError);
    await expect(call).rejects.toMatchObject({ code: -32602 });
  });

  it('gets 401 for a wrong key', async () => {
    await expect(connect(negotiation, `${acme.key.slice(0, -1)}!`)).rejects.toSatisfy(
      (error) => error instanceof SdkHttpError && error.status === 401,
    );
  });
});

it('the official client of generation 2 cancels a modern call that its caller aborts', async () => {
  const { client } = await connect({ mode: { pin: '2026-07-28' } });
  const tools = switchboard.app.get(ProtocolTools);
  const abort = new AbortController();
  const call = client.callTool(
    { name: 'slow_note', arguments: { text: 'aborted' } },
    { signal: abort.signal },
  );
  const failed = call.catch((error: unknown) => error);
  await waitFor(() => tools.isWaiting('aborted'));
  abort.abort();
  expect(await failed).toBeInstanceOf(Error);
  await waitFor(() => tools.signalOf('aborted')?.aborted);
  tools.release('aborted');
});
