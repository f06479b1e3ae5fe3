import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { answerOf, errorOf, textOf } from './support/answer.js';
import { SECRET } from './support/protocol.tools.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const LATEST = '2025-11-25';
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function call(name: unknown, given?: unknown, version?: string) {
  const params = { name, arguments: given };
  return answerOf(
    acme.rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      version === undefined ? {} : { 'MCP-Protocol-Version': version },
    ),
  );
}

describe('a tool that succeeds', () => {
  it('returns its result to plain callers as JSON text only', async () => {
    const { status, body } = await call('echo_text', { text: 'hi "you"' });
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '{"text":"hi \\"you\\""}' }] },
    });
  });

  it.each(['2024-11-05', '2025-03-26'])(
    'returns the same result to version %s as to plain callers',
    async (version) => {
      const plain = await call('echo_text', { text: 'hi' });
      expect((await call('echo_text', { text: 'hi' }, version)).text).toBe(plain.text);
    },
  );

  it.each(['2025-06-18', LATEST])('adds structuredContent for %s', async (version) => {
    const { body } = await call('echo_text', { text: 'hi' }, version);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: '{"text":"hi"}' }],
        structuredContent: { text: 'hi' },
      },
    });
  });

  it.each(['noop', 'takes_nothing'])('needs no arguments: %s', async (name) => {
    expect(textOf((await call(name)).body)).toEqual({});
    expect(textOf((await call(name, {})).body)).toEqual({});
  });

  it('acts for the organization of the key, with the key as actor', async () => {
    await call('note', { text: 'whose' });
    expect(await tracesOf(switchboard, acme)).toEqual(['whose']);
    const rows = await switchboard.ownerQuery(
      `select a.organization_id, a.actor_kind from audit_log a
       join api_keys k on k.id = a.actor_id and k.organization_id = a.organization_id
       where a.action = 'note' and a.subject = 'whose'`,
    );
    expect(rows).toEqual([{ organization_id: acme.id, actor_kind: 'key' }]);
  });
});

describe.each([undefined, LATEST])('a tool that fails, MCP-Protocol-Version %s', (version) => {
  const failing = async (name: string, given?: unknown) => {
    const { status, body, text } = await call(name, given, version);
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: expect.any(Array) as [], isError: true },
    });
    return { text, told: textOf(body) };
  };

  it('lists every invalid argument', async () => {
    const { told } = await failing('echo_text', { txet: 'x' });
    expect(told).toEqual({
      error: {
        code: 'invalid_arguments',
        message: expect.any(String) as string,
        details: expect.arrayContaining([{ path: 'text', message: 'is required' }]) as [],
      },
    });
  });

  it('shows an expected failure with its code', async () => {
    const { told } = await failing('clash');
    expect(told).toEqual({ error: { code: 'conflict', message: 'There is one already.' } });
  });

  it('returns an error with the code "forbidden" if a guard refuses', async () => {
    const { told } = await failing('denied');
    expect(told).toEqual({ error: { code: 'forbidden', message: expect.any(String) as string } });
  });

  it.each(['crash', 'no_object'])('returns only the error id of a bug: %s', async (name) => {
    const { text, told } = await failing(name);
    expect(told).toEqual({
      error: {
        code: 'internal',
        message: 'Internal error',
        error_id: expect.stringMatching(UUID) as string,
      },
    });
    for (const word of SECRET.split(' ')) expect(text).not.toContain(word);
    expect(text).not.toMatch(/\.ts|\.js|node_modules/);
  });

  it.each(['\0', '\ud800', '__proto__'])('refuses text that cannot be stored: %j', async (text) => {
    const given =
      text === '__proto__' ? (JSON.parse('{"__proto__":1,"text":"a"}') as object) : { text };
    expect((await failing('echo_text', given)).told).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
  });
});

describe('a tool that does not exist', () => {
  it('gets the error for an unknown tool', async () => {
    const { body } = await call('unheard_of_by_anyone');
    expect(body).toMatchObject({
      error: { code: -32602, message: 'Unknown tool: unheard_of_by_anyone' },
    });
  });

  it('gets the nearest names in the error', async () => {
    const { body } = await call('echo_tekst');
    expect(body).toMatchObject({
      error: { code: -32602, message: 'Unknown tool: echo_tekst. Did you mean echo_text?' },
    });
  });

  it('gets an error that differs from the error for a tool that only people may call', async () => {
    const { body } = await call('people_only');
    expect(body).toMatchObject({
      error: {
        code: -32602,
        message:
          'The tool people_only cannot be called here. It is for signed-in people, in the dashboard.',
      },
    });
  });

  it('has its name shortened in the error', async () => {
    const { text, body } = await call('\ud83d'.repeat(100_000));
    expect(body).toMatchObject(errorOf(-32602, 1));
    expect(text.length).toBeLessThan(500);
    expect(text.isWellFormed() && !text.includes('\\ud83d')).toBe(true);
  });
});
