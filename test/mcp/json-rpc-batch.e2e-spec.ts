import { beforeAll, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { answerOf, errorOf } from './support/answer.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
const post = (body: unknown, headers?: Record<string, string>) => answerOf(acme.rpc(body, headers));

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const call = (id: string | number | undefined, name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});
const note = (id: string | number | undefined, text: string) => call(id, 'note', { text });
const resultOf = (id: string | number) => ({
  jsonrpc: '2.0',
  id,
  result: expect.any(Object) as object,
});

it.each<[string, string, number]>([
  ['an empty batch', '[]', -32600],
  ['a batch that breaks off', '[{"jsonrpc":"2.0","id":1', -32700],
])('the endpoint returns one error and not an array for %s', async (_case, body, code) => {
  expect(await post(body)).toMatchObject({ status: 400, body: errorOf(code, null) });
});

it.each<[string, unknown[], object[]]>([
  ['an invalid member', [1], [errorOf(-32600, null)]],
  ['only invalid members', [1, 2, 3], [1, 2, 3].map(() => errorOf(-32600, null))],
  ['a nested batch', [[call(1, 'noop')]], [errorOf(-32600, null)]],
  [
    'initialize',
    [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }],
    [errorOf(-32600, 1)],
  ],
  ['an id that is null', [{ ...call(1, 'noop'), id: null }], [errorOf(-32600, null)]],
  ['ids that are equal', [call(7, 'noop'), call(7, 'noop')], [resultOf(7), resultOf(7)]],
  [
    'everything in one batch',
    [
      call('1', 'noop'),
      { jsonrpc: '2.0', method: 'notify_hello', params: [7] },
      call('2', 'noop'),
      { foo: 'boo' },
      { jsonrpc: '2.0', method: 'foo.get', params: { name: 'myself' }, id: '5' },
      { jsonrpc: '2.0', id: 4, result: {} },
      { jsonrpc: '2.0', method: 'tools/list', id: '9' },
    ],
    [resultOf('1'), resultOf('2'), errorOf(-32600, null), errorOf(-32601, '5'), resultOf('9')],
  ],
])(
  'a batch gets one response for each member, in order, for %s',
  async (_case, batch, expected) => {
    const { status, body } = await post(batch);
    expect({ status, body }).toEqual({ status: 200, body: expected });
  },
);

it.each<[string, unknown[]]>([
  ['notifications', [call(undefined, 'noop'), { jsonrpc: '2.0', method: 'x' }]],
  ['responses', [{ jsonrpc: '2.0', id: 1, result: {} }]],
  ['a notification of initialize', [{ jsonrpc: '2.0', method: 'initialize' }]],
])('a batch of %s gets 202 without a body', async (_case, batch) => {
  const { status, text } = await post(batch);
  expect({ status, text }).toEqual({ status: 202, text: '' });
});

it('a batch runs its members in order, including notifications', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `ordered ${index}`);
  const batch = names.map((text, index) => note(index % 2 === 0 ? index : undefined, text));
  const { status, body } = await post(batch);
  expect(status).toBe(200);
  expect((body as { id: number }[]).map(({ id }) => id)).toEqual([
    0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
  ]);
  const traces = await tracesOf(switchboard, acme);
  expect(traces.filter((text) => text.startsWith('ordered'))).toEqual(names);
});

it('a batch can have 20 members, and 21 are refused without running any', async () => {
  const batch = (length: number, text: string) =>
    Array.from({ length }, (_, index) => note(index, text));
  const twenty = await post(batch(20, 'twenty'));
  expect(twenty.status).toBe(200);
  expect(twenty.body).toHaveLength(20);
  expect(await post(batch(21, 'twenty-one'))).toMatchObject({
    status: 400,
    body: errorOf(-32600, null),
  });
  const traces = await tracesOf(switchboard, acme);
  expect(traces.filter((text) => text === 'twenty')).toHaveLength(20);
  expect(traces).not.toContain('twenty-one');
});

it.each(['crash', 'clash', 'denied', 'no_object'])(
  'a batch keeps the effects of the other members when one fails: %s',
  async (failing) => {
    const before = `before ${failing}`;
    const after = `after ${failing}`;
    const { status, body } = await post([note(1, before), call(2, failing), note(3, after)]);
    expect(status).toBe(200);
    expect(body).toEqual([
      resultOf(1),
      { jsonrpc: '2.0', id: 2, result: { content: expect.any(Array) as [], isError: true } },
      resultOf(3),
    ]);
    const traces = await tracesOf(switchboard, acme);
    expect(traces.filter((text) => text.endsWith(failing))).toEqual([before, after]);
  },
);
