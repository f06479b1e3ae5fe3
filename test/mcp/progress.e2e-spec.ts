import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { AskingTools } from './support/asking.tools.js';
import { metaOf, modernHeaders } from './support/modern.js';

let switchboard: Switchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [AskingTools] });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const EVENTS = 'application/json, text/event-stream';
const LEGACY = { 'MCP-Protocol-Version': '2025-11-25', Accept: EVENTS };

interface Frame {
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
}

function count(numbers: string, progressToken?: unknown, meta: object = {}) {
  return {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'count', arguments: { numbers }, _meta: { ...meta, progressToken } },
  };
}

async function framesOf(pending: Promise<Response>): Promise<Frame[]> {
  const response = await pending;
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  return (await response.text())
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      expect(event).toMatch(/^event: message\ndata: [^\n]+$/);
      return JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Frame;
    });
}

const numbersIn = (frames: Frame[]) => frames.flatMap(({ params }) => params?.progress ?? []);

describe('progress', () => {
  it.each(['token', '', 0, 42])('is sent before the result, with the token %j', async (token) => {
    for (const [message, headers] of [
      [count('50', token), LEGACY],
      [count('50', token, metaOf()), { ...modernHeaders(count('50', token)), Accept: EVENTS }],
    ] as const) {
      const frames = await framesOf(acme.rpc(message, headers));
      expect(frames).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: token, progress: 50, total: 100, message: 'at 50' },
        },
        {
          jsonrpc: '2.0',
          id: 7,
          result: expect.objectContaining({ structuredContent: { text: '50' } }) as object,
        },
      ]);
    }
  });

  it('grows and always ends with the last number', async () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index + 1);
    const frames = await framesOf(acme.rpc(count(numbers.join(' '), 't'), LEGACY));
    const seen = numbersIn(frames) as number[];
    expect(seen.at(-1)).toBe(500);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.length).toBeLessThan(500);
  });

  it('leaves out numbers that do not grow', async () => {
    const frames = await framesOf(acme.rpc(count('5 3 5 NaN Infinity', 't'), LEGACY));
    expect(numbersIn(frames)).toEqual([5]);
  });

  it.each<[string, object, Record<string, string>]>([
    ['no token', count('5'), LEGACY],
    ['a token that is an object', count('5', { a: 1 }), LEGACY],
    ['a token that is a fraction', count('5', 1.5), LEGACY],
    ['no Accept', count('5', 't'), { 'MCP-Protocol-Version': '2025-11-25' }],
    ['an Accept without events', count('5', 't'), { ...LEGACY, Accept: 'application/json' }],
    ['plain JSON-RPC', count('5', 't'), { Accept: EVENTS }],
    ['a batch', [count('5', 't')], LEGACY],
  ])('is not sent with %s', async (_case, message, headers) => {
    const response = await acme.rpc(message, headers);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(JSON.stringify(await response.json())).toContain('\\"5\\"');
  });

  it('reaches the official clients', async () => {
    const url = new URL(`${switchboard.url}/api/mcp`);
    const requestInit = { headers: { Authorization: `Bearer ${acme.key}` } };
    const info = { name: 'test', version: '1.0.0' };
    const call = { name: 'count', arguments: { numbers: '50' } };
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);

    const first = new Client1(info);
    await first.connect(new Transport1(url, { requestInit }));
    await first.callTool(call, undefined, { onprogress });
    const second = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await second.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    await second.callTool(call, { onprogress });
    expect(seen).toEqual([50, 50]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe('content', () => {
  const draw = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'draw' } };
  const content = [
    { type: 'text', text: 'A dot:' },
    { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' },
  ];

  it.each<Record<string, string>>([{}, { 'MCP-Protocol-Version': '2025-11-25' }])(
    'is returned unchanged: %j',
    async (headers) => {
      const { result } = (await (await acme.rpc(draw, headers)).json()) as Frame;
      expect(result).toEqual({ content });
    },
  );

  it('has no structuredContent in the modern era either', async () => {
    const message = { ...draw, params: { name: 'draw', _meta: metaOf() } };
    const { result } = (await (await acme.rpc(message, modernHeaders(message))).json()) as Frame;
    expect(result).toMatchObject({ resultType: 'complete', content });
    expect(result).not.toHaveProperty('structuredContent');
  });
});
