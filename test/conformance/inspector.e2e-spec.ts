import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProtocolTools } from '../mcp/support/protocol.tools.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const BIN = join(import.meta.dirname, 'suite/node_modules/.bin');
const LIST = ['--method', 'tools/list'];
const callOf = (tool: string): string[] => ['--method', 'tools/call', '--tool-name', tool];
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

interface Answer {
  result: {
    tools?: { name: string }[];
    content?: { type: string; text: string }[];
    structuredContent?: object;
    isError?: boolean;
    _meta?: Record<string, unknown>;
  };
}

let switchboard: Switchboard;
let acme: TestOrganization;
let folder: string;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProtocolTools] });
  acme = await createOrganization(switchboard);
  folder = await mkdtemp(join(tmpdir(), 'switchboard-inspector-'));
});
afterAll(async () => {
  await switchboard.close();
  await rm(folder, { recursive: true, force: true });
});

interface Exit {
  code: number;
  /** The parsed output. It is undefined when there is none. */
  answer: Answer | undefined;
  complaints: string;
}

/** Runs the MCP Inspector as a person does: as a process, with a file that names the server. */
async function inspect(protocolEra: string, given: string[], key = acme.key): Promise<Exit> {
  const config = join(folder, `${protocolEra}.json`);
  const server = {
    type: 'streamable-http',
    url: `${switchboard.url}/api/mcp`,
    headers: { Authorization: `Bearer ${key}` },
    protocolEra,
  };
  await writeFile(config, JSON.stringify({ mcpServers: { switchboard: server } }));
  const from = ['--config', config, '--server', 'switchboard', '--stored-auth-only'];
  return await run([...from, ...given]);
}

function run(given: string[]): Promise<Exit> {
  const env = {
    // The Node that is installed with the Inspector comes first in PATH.
    PATH: `${BIN}${delimiter}${process.env.PATH}`,
    HOME: folder,
    MCP_INSPECTOR_SECRET_STORE: 'memory',
  };
  return new Promise((resolve) => {
    const whole = ['--cli', ...given, '--format', 'json'];
    execFile(join(BIN, 'mcp-inspector'), whole, { env }, (error, out, complaints) => {
      const answer = out.trim() === '' ? undefined : (JSON.parse(out) as Answer);
      resolve({ code: error ? Number(error.code) : 0, answer, complaints });
    });
  });
}

describe.each([
  ['legacy', false],
  ['auto', true],
  ['modern', true],
])('the MCP Inspector, protocol era %s', (era, speaksModern) => {
  it('lists the tools', async () => {
    const { code, answer } = await inspect(era, LIST);
    expect(code).toBe(0);
    const names = answer?.result.tools?.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['echo_text', 'send_message']));
  });

  it('calls a tool in the chosen era', async () => {
    const { code, answer } = await inspect(era, [
      ...callOf('echo_text'),
      '--tool-arg',
      'text=größe',
    ]);
    expect(code).toBe(0);
    expect(answer?.result).toMatchObject({
      content: [{ type: 'text', text: '{"text":"größe"}' }],
      structuredContent: { text: 'größe' },
    });
    expect(answer?.result._meta?.[SERVER_INFO] !== undefined).toBe(speaksModern);
  });

  it.each(['clash', 'crash'])('sees a failing tool as isError: %s', async (name) => {
    const { code, answer, complaints } = await inspect(era, callOf(name));
    expect(code).toBe(5);
    expect(answer?.result.isError).toBe(true);
    expect(complaints).toContain('tool_is_error');
  });

  it('reports an unknown tool', async () => {
    const { code } = await inspect(era, callOf('unheard_of'));
    expect(code).toBe(5);
  });

  it('is asked to authenticate when its key is wrong', async () => {
    const wrong = `${acme.key.slice(0, -1)}!`;
    const { code, answer, complaints } = await inspect(era, LIST, wrong);
    expect(code).toBe(3);
    expect(answer).toBeUndefined();
    expect(complaints).toContain('auth_required');
  });
});

it('the MCP Inspector lists the tools with only an address and a header', async () => {
  const { code, answer } = await run([
    `${switchboard.url}/api/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${acme.key}`,
    ...LIST,
  ]);
  expect(code).toBe(0);
  expect(answer?.result.tools?.length).toBeGreaterThan(1);
});
