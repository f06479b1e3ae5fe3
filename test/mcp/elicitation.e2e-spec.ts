import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { answerOf, textOf } from './support/answer.js';
import { AskingTools } from './support/asking.tools.js';
import { CAPABILITIES_KEY, metaOf, postModern } from './support/modern.js';
import { tracesOf } from './support/traces.js';

let switchboard: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
let tools: AskingTools;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [AskingTools] });
  [acme, globex] = [await createOrganization(switchboard), await createOrganization(switchboard)];
  tools = switchboard.app.get(AskingTools);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => switchboard.close());

interface Question {
  resultType: 'input_required';
  inputRequests: Record<string, { method: string; params: Record<string, unknown> }>;
  requestState: string;
}

interface Extras {
  inputResponses?: unknown;
  requestState?: unknown;
  capabilities?: object;
}

const accept = (content: object) => ({ action: 'accept', content });
const ADA = { who: accept({ name: 'Ada' }) };

function request(name: string, args: object, extras: Extras = {}) {
  const { capabilities = { elicitation: {} }, ...more } = extras;
  const _meta = { ...metaOf(), [CAPABILITIES_KEY]: capabilities };
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, ...more, _meta },
  };
}

async function send(name: string, args: object, extras: Extras = {}, organization = acme) {
  const { status, body } = await postModern(organization, request(name, args, extras));
  return { status, ...(body as { result?: unknown; error?: { code: number; message: string } }) };
}

async function ask(name: string, args: object, extras: Extras = {}): Promise<Question> {
  const { status, result } = await send(name, args, extras);
  expect(status).toBe(200);
  expect(result).toMatchObject({
    resultType: 'input_required',
    requestState: expect.any(String) as string,
  });
  expect(result).not.toHaveProperty('content');
  return result as Question;
}

/** Starts a booking, and returns the request state for its last response. */
async function readyToBook(town: string, tool = 'book'): Promise<string> {
  const first = await ask(tool, { town });
  if (tool !== 'book') return first.requestState;
  const { requestState } = first;
  return (await ask(tool, { town }, { inputResponses: ADA, requestState })).requestState;
}

const SEATS = { size: accept({ seats: 2, where: 'aisle' }) };

describe('a tool with an input request', () => {
  it('gets the response in the next request', async () => {
    const question = await ask('greet', {});
    expect(question.inputRequests).toEqual({
      who: {
        method: 'elicitation/create',
        params: {
          message: 'What is your name?',
          requestedSchema: {
            type: 'object',
            properties: {
              name: {
                type: 'string',
                minLength: 1,
                maxLength: 20,
                description: 'What you are called.',
              },
            },
            required: ['name'],
          },
        },
      },
    });
    const { requestState } = question;
    const { result } = await send('greet', {}, { inputResponses: ADA, requestState });
    expect(result).toMatchObject({
      resultType: 'complete',
      structuredContent: { text: 'Hello, Ada!' },
    });
  });

  it.each(
    sample<[string, unknown]>(
      [
        ['another name', { other: accept({ name: 'Ada' }) }],
        ['no answer', {}],
        ['a number', { who: 12345 }],
        ['nothing', { who: null }],
        ['an unknown action', { who: { action: 'perhaps' } }],
        ['a missing field', { who: accept({}) }],
        ['a field of another type', { who: accept({ name: 5 }) }],
        ['a field that is too long', { who: accept({ name: 'x'.repeat(21) }) }],
        ['an array', { who: { action: 'accept', content: [] } }],
      ],
      3,
    ),
  )('asks again for %s', async (_case, inputResponses) => {
    await ask('greet', {}, { inputResponses });
  });

  it.each([null, [], 'text', 5])(
    'refuses inputResponses that are not an object: %j',
    async (value) => {
      expect(await send('greet', {}, { inputResponses: value })).toMatchObject({
        status: 200,
        error: { code: -32602 },
      });
    },
  );

  it('ignores responses that it did not request', async () => {
    const inputResponses = { ...ADA, extra: accept({ a: 1 }), ['__proto__']: accept({}) };
    const { result } = await send('greet', {}, { inputResponses });
    expect(result).toMatchObject({ structuredContent: { text: 'Hello, Ada!' } });
  });

  it.each(['decline', 'cancel'])('ends without effect on %s', async (action) => {
    const { requestState } = await ask('book', { town: `Rome ${action}` });
    const answer = { inputResponses: { who: { action } }, requestState };
    const { result } = await send('book', { town: `Rome ${action}` }, answer);
    expect(result).toMatchObject({ isError: true });
    expect(textOf({ result })).toMatchObject({ error: { code: 'forbidden' } });
    expect(await tracesOf(switchboard, acme, 'book')).not.toContain(`Rome ${action}`);
  });
});

describe('a tool that changes something', () => {
  it('asks several times, with the earlier responses in its request state', async () => {
    const first = await ask('book', { town: 'Oslo' });
    const { requestState } = first;
    const second = await ask('book', { town: 'Oslo' }, { inputResponses: ADA, requestState });
    expect(Object.keys(second.inputRequests)).toEqual(['size']);
    expect(second.inputRequests.size?.params).toMatchObject({ message: 'How many seats, Ada?' });
    expect(second.requestState).not.toBe(requestState);
    const answer = { inputResponses: SEATS, requestState: second.requestState };
    const { result } = await send('book', { town: 'Oslo' }, answer);
    expect(result).toMatchObject({
      structuredContent: { note_id: 'Oslo', summary: 'Ada 2 aisle' },
    });
    expect(await tracesOf(switchboard, acme, 'book')).toContain('Oslo');
  });

  it('ignores responses without the request state', async () => {
    const question = await ask('book', { town: 'Bern' }, { inputResponses: { ...ADA, ...SEATS } });
    expect(Object.keys(question.inputRequests)).toEqual(['who']);
  });

  it.each(['book', 'book_outside'])('runs once for one request state: %s', async (tool) => {
    const town = `Once ${tool}`;
    const requestState = await readyToBook(town, tool);
    const answer = { inputResponses: { ...ADA, ...SEATS }, requestState };
    const results = [(await send(tool, { town }, answer)).result];
    const repeated = Array.from({ length: 10 }, () => send(tool, { town }, answer));
    for (const { result } of await Promise.all(repeated)) results.push(result);
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    const traces = await tracesOf(switchboard, acme, tool);
    expect(traces.filter((subject) => subject === town)).toEqual([town]);
    expect(tools.done.filter((done) => done === town).length).toBe(tool === 'book' ? 0 : 1);
  });

  it('runs once for responses that are sent concurrently', async () => {
    const requestState = await readyToBook('Race');
    const answer = { inputResponses: SEATS, requestState };
    const sent = Array.from({ length: 10 }, () => send('book', { town: 'Race' }, answer));
    for (const { result } of await Promise.all(sent)) {
      expect(result).toMatchObject({ structuredContent: { note_id: 'Race' } });
    }
    const traces = await tracesOf(switchboard, acme, 'book');
    expect(traces.filter((subject) => subject === 'Race')).toEqual(['Race']);
  });
});

describe('a requestState', () => {
  const refused = { status: 200, error: { code: -32602 } };

  it('is valid for its own arguments, tool and organization only', async () => {
    const requestState = await readyToBook('Graz');
    const answer = { inputResponses: SEATS, requestState };
    expect(await send('book', { town: 'Linz' }, answer)).toMatchObject(refused);
    expect(await send('book_outside', { town: 'Graz' }, answer)).toMatchObject(refused);
    expect(await send('book', { town: 'Graz' }, answer, globex)).toMatchObject(refused);
    expect(await send('book', { town: 'Graz' }, answer)).not.toHaveProperty('error');
  });

  it.each(
    sample<[string, (state: string) => unknown]>(
      [
        ['changed at its end', (state) => `${state}-TAMPERED`],
        ['changed in the middle', (state) => state.replace(/.(?=.{40}$)/, '~')],
        [
          'with another character',
          (state) => state.slice(0, 60) + (state[60] === 'A' ? 'B' : 'A') + state.slice(61),
        ],
        ['cut', (state) => state.slice(0, -4)],
        ['empty', () => ''],
        ['no text', () => 5],
        ['null', () => null],
        ['a state that is not encrypted', () => Buffer.from('{"nonce":"x"}').toString('base64url')],
      ],
      3,
    ),
  )('is refused when it is %s', async (_case, change) => {
    const requestState = change(await readyToBook('Wels'));
    const answer = { inputResponses: SEATS, requestState };
    expect(await send('book', { town: 'Wels' }, answer)).toMatchObject(refused);
  });

  it('expires after an hour', async () => {
    const requestState = await readyToBook('Late');
    const answer = { inputResponses: SEATS, requestState };
    const now = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now + 61 * 60 * 1000);
    expect(await send('book', { town: 'Late' }, answer)).toMatchObject(refused);
    vi.mocked(Date.now).mockReturnValue(now + 59 * 60 * 1000);
    expect(await send('book', { town: 'Late' }, answer)).not.toHaveProperty('error');
  });

  it('does not contain the responses as readable text', async () => {
    const { requestState } = await ask(
      'book',
      { town: 'Secret' },
      { inputResponses: ADA, requestState: (await ask('book', { town: 'Secret' })).requestState },
    );
    expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain('Ada');
  });
});

describe('a caller that cannot be asked', () => {
  it.each([{}, { sampling: {} }, { elicitation: { url: {} } }, { elicitation: 'yes' }])(
    'gets an error that names the missing capability: %j',
    async (capabilities) => {
      expect(await send('greet', {}, { capabilities })).toMatchObject({
        status: 400,
        error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
      });
    },
  );

  it.each([
    { elicitation: {} },
    { elicitation: { form: {} } },
    { elicitation: { form: {}, url: {} } },
  ])('can be asked if it declares %j', async (capabilities) => {
    await ask('greet', {}, { capabilities });
  });

  it.each<Record<string, string>>([{}, { 'MCP-Protocol-Version': '2025-11-25' }])(
    'gets a failed result if it uses a version before 2026-07-28: %j',
    async (headers) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet' } };
      const { status, body } = await answerOf(acme.rpc(message, headers));
      expect(status).toBe(200);
      expect(body).toMatchObject({ result: { isError: true } });
      expect(textOf(body)).toMatchObject({ error: { code: 'forbidden' } });
    },
  );

  it('gets a failed result if it is a person at the dashboard', async () => {
    expect((await acme.call('greet', {})).error).toMatchObject({ code: 'forbidden' });
  });
});

it('input requests work with the official client', async () => {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: { elicitation: { form: {} } },
    },
  );
  const asked: string[] = [];
  const answers: Record<string, string | number>[] = [{ name: 'Grace' }, { seats: 3 }];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const content = answers[asked.push(params.message) - 1];
    return Promise.resolve({ action: 'accept' as const, content });
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${switchboard.url}/api/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${acme.key}` } },
    }),
  );
  const result = await client.callTool({ name: 'book', arguments: { town: 'Official' } });
  expect(result).toMatchObject({ structuredContent: { summary: 'Grace 3 -' } });
  expect(asked).toEqual(['For whom?', 'How many seats, Grace?']);
  await client.close();
});
