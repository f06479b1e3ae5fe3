import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ANY_CODE_POINT } from '../support/code-points.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { answerOf } from './support/answer.js';
import {
  assertResponse,
  CASES,
  fuzz,
  type Id,
  NO_TRACE,
  seed,
  timeoutMs,
} from './support/fuzzing.js';
import { metaOf, MODERN, modernHeaders } from './support/modern.js';
import { ProtocolTools } from './support/protocol.tools.js';

let switchboard: Switchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({
    providers: [ProtocolTools],
    // There are no workers, so only requests use memory.
    env: { RATE_LIMIT_PER_MINUTE: '0', ROLE: 'web' },
  });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const STRUCTURED = Math.round(CASES * 0.35);
const MODERN_RUNS = Math.round(CASES * 0.2);
const RAW = Math.round(CASES * 0.15);

/** A message or a member of a batch, and the id of its response. The id is undefined if no response is allowed. */
interface Sent {
  member: unknown;
  id: Id | undefined;
}

const anyValue = fc.jsonValue({ maxDepth: 4 });
const goodId = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }).filter((number) => number !== 0),
);
const badId = fc.oneof(
  fc.constantFrom(null, true, false, 1e300, -1e300, 2 ** 53),
  fc.array(anyValue, { maxLength: 2 }),
  fc.dictionary(fc.string(), anyValue, { maxKeys: 2 }),
);
const toolName = fc.oneof(
  fc.constantFrom('noop', 'echo_text', 'note', 'crash', 'clash', 'denied', 'no_object'),
  fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', ''),
  fc.string({ unit: ANY_CODE_POINT }),
);
const given = fc.oneof(
  fc.record({ text: fc.string({ unit: ANY_CODE_POINT }) }),
  fc.dictionary(fc.oneof(fc.constantFrom('text', 'label', '__proto__'), fc.string()), anyValue),
  anyValue,
);
const reference = fc.record({
  type: fc.constantFrom('ref/prompt', 'ref/resource'),
  name: fc.constantFrom('write_message', 'build_workflow', '__proto__', ''),
  uri: fc.constantFrom('switchboard://contacts/{contact_id}', 'switchboard://runs', ''),
});
const uri = fc.oneof(
  fc.constantFrom('switchboard://contacts', 'switchboard://runs/', 'switchboard://messages/msg_1'),
  fc.string({ unit: ANY_CODE_POINT }).map((text) => `switchboard://contacts/${text}`),
  fc
    .string({ unit: ANY_CODE_POINT })
    .map((text) => `switchboard://runs/${encodeURIComponent(text)}`),
);
const reading = fc.oneof(
  fc.record({ uri: fc.oneof(uri, anyValue) }),
  fc.record({
    name: fc.constantFrom('write_message', 'build_workflow', 'explain_failed_run'),
    arguments: fc.oneof(
      fc.dictionary(
        fc.constantFrom('contact', 'goal', 'description', 'run_id', '__proto__'),
        fc.oneof(fc.string({ unit: ANY_CODE_POINT }), anyValue),
      ),
      anyValue,
    ),
  }),
  fc.record(
    {
      ref: fc.oneof(reference, anyValue),
      argument: fc.oneof(
        fc.record({
          name: fc.constantFrom('contact', 'contact_id', 'run_id', 'constructor'),
          value: fc.oneof(fc.string({ unit: ANY_CODE_POINT }), anyValue),
        }),
        anyValue,
      ),
      context: anyValue,
    },
    { requiredKeys: ['ref', 'argument'] },
  ),
);
const structured = fc.oneof(
  reading,
  fc.record({ name: fc.oneof(toolName, anyValue), arguments: given }, { requiredKeys: [] }),
  fc.dictionary(fc.constantFrom('name', 'arguments', 'cursor', '_meta', 'task'), anyValue),
  fc.array(anyValue, { maxLength: 3 }),
);
const method = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('tools/call', 'tools/list', 'ping') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'prompts/list',
      'prompts/get',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'completion/complete',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: ANY_CODE_POINT }) },
);
const call = fc.record(
  { jsonrpc: fc.constant('2.0'), method, params: structured },
  { requiredKeys: ['jsonrpc', 'method'] },
);

const request = fc
  .record({ call, id: goodId })
  .map(({ call, id }): Sent => ({ member: { ...call, id }, id }));
const notification = call.map((member): Sent => ({ member, id: undefined }));
const unechoable = fc
  .record({ call, id: badId })
  .map(({ call, id }): Sent => ({ member: { ...call, id }, id: null }));
const malformed = fc
  .record({
    call,
    id: goodId,
    fault: fc.constantFrom(
      { jsonrpc: '1.0' },
      { jsonrpc: undefined },
      { method: 7 },
      { method: undefined },
      { params: null },
      { params: 'text' },
    ),
  })
  .map(({ call, id, fault }): Sent => ({ member: { ...call, id, ...fault }, id }));
const response = fc
  .record({ id: fc.oneof(goodId, badId), result: anyValue })
  .map((result): Sent => ({ member: { jsonrpc: '2.0', ...result }, id: undefined }));
const scalar = fc
  .oneof(fc.constantFrom(null, true, 'x'), fc.integer(), fc.array(anyValue))
  .map((member): Sent => ({ member, id: null }));
const sent = fc.oneof(
  { weight: 6, arbitrary: request },
  { weight: 2, arbitrary: notification },
  unechoable,
  malformed,
  response,
  scalar,
);
const version = fc.constantFrom(undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25');

const post = async (body: string | Uint8Array, version: string | undefined) => {
  const answer = await answerOf(
    acme.rpc(body, version === undefined ? {} : { 'MCP-Protocol-Version': version }),
  );
  expect(answer.text).not.toMatch(NO_TRACE);
  return answer;
};

it(
  `the endpoint answers ${STRUCTURED} messages that look like JSON-RPC, each under its own id (seed ${seed})`,
  async () => {
    const single = fc.record({ sent, version }).filter(({ sent }) => !Array.isArray(sent.member));
    const batch = fc.record({ all: fc.array(sent, { minLength: 1, maxLength: 5 }), version });
    const property = fc.asyncProperty(fc.oneof(single, batch), async (message) => {
      const all = 'all' in message ? message.all : [message.sent];
      const expected = all.map(({ id }) => id).filter((id) => id !== undefined);
      const json = JSON.stringify(
        'all' in message ? all.map(({ member }) => member) : all[0]!.member,
      );
      const { status, body } = await post(json, message.version);
      if (expected.length === 0) {
        expect({ status, body }).toEqual({ status: 202, body: undefined });
      } else if ('all' in message) {
        expect(status).toBe(200);
        expect(body).toHaveLength(expected.length);
        for (const [index, id] of expected.entries())
          assertResponse((body as unknown[])[index], id);
      } else {
        expect([200, 400]).toContain(status);
        assertResponse(body, expected[0]!);
      }
    });
    await fuzz(property, STRUCTURED);
  },
  timeoutMs,
);

it(
  `the endpoint answers ${MODERN_RUNS} messages of the modern era (seed ${seed})`,
  async () => {
    const meta = fc.oneof(
      { weight: 6, arbitrary: fc.constant(metaOf()) },
      fc.constantFrom(metaOf('2027-01-01'), metaOf('2025-11-25'), metaOf(5), {}, undefined),
    );
    const header = fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      // Every request names a version of the modern era: in the header if the body cannot contain the version.
      fc.record(
        {
          'MCP-Protocol-Version': fc.constantFrom(MODERN, '2027-01-01'),
          'Mcp-Method': fc.stringMatching(/^[!-~]{1,20}$/),
          'Mcp-Name': fc.oneof(fc.stringMatching(/^[!-~]{1,20}$/), fc.constant('=?base64?bm9=?=')),
        },
        { requiredKeys: [] },
      ),
    );
    const property = fc.asyncProperty(sent, meta, header, async ({ member }, _meta, changed) => {
      const message = claiming(member, _meta);
      const { status, body } = await answerOf(
        acme.rpc(JSON.stringify(message), {
          ...sendable(modernHeaders(message)),
          'MCP-Protocol-Version': MODERN,
          ...changed,
        }),
      );
      expect([200, 202, 400, 404]).toContain(status);
      expect(body === undefined).toBe(status === 202);
      if (body === undefined) return;
      const { id, error, result } = body as { id?: Id; error?: { code: number }; result?: object };
      if (id !== undefined) expect(id).toBe((message as { id: Id }).id);
      expect(id === undefined || typeof id === 'string' || Number.isInteger(id)).toBe(true);
      if (result)
        expect(result).toMatchObject({ resultType: 'complete', _meta: expect.anything() });
      if (!error) return;
      expect([-32600, -32601, -32602, -32020, -32022]).toContain(error.code);
      expect(status === 404).toBe(error.code === -32601);
    });
    await fuzz(property, MODERN_RUNS);
  },
  timeoutMs,
);

it(
  `the endpoint answers ${RAW} damaged or random bodies (seed ${seed})`,
  async () => {
    const valid = sent.map(({ member }) => JSON.stringify(member) ?? '');
    const damaged = fc
      .record({
        text: valid,
        at: fc.nat(),
        insert: fc.uint8Array({ maxLength: 4 }),
        drop: fc.nat(4),
      })
      .map(({ text, at, insert, drop }) => {
        const bytes = Buffer.from(text);
        const place = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + drop)]);
      });
    const body = fc.oneof(
      { weight: 3, arbitrary: damaged },
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
    );
    const header = fc.oneof(version, fc.stringMatching(/^[!-~]{1,20}$/), fc.constant(MODERN));
    const property = fc.asyncProperty(body, header, async (bytes, version) => {
      const { status, body } = await post(new Uint8Array(bytes), version);
      expect([200, 202, 400]).toContain(status);
      expect(body === undefined).toBe(status === 202);
      for (const answer of Array.isArray(body) ? body : body === undefined ? [] : [body]) {
        expect(answer).toMatchObject({ jsonrpc: '2.0' });
        expect(answer).not.toMatchObject({ error: { code: -32603 } });
      }
    });
    await fuzz(property, RAW);
  },
  timeoutMs,
);

/** Adds `_meta` to the member if its parameters are an object. */
function claiming(member: unknown, _meta: unknown): unknown {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
  const { params = {} } = member as { params?: unknown };
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return member;
  return { ...member, params: { ...params, _meta } };
}

/**
 * Returns headers that a client can send. When HTTP forbids the characters of a value, `Mcp-Name` is encoded, and any
 * other header is left out.
 */
function sendable(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (/^[!-~]*$/.test(value)) return [[name, value]];
      const encoded = `=?base64?${Buffer.from(value).toString('base64')}?=`;
      return name === 'Mcp-Name' ? [[name, encoded]] : [];
    }),
  );
}
