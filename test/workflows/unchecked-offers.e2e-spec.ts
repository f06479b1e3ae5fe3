import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { callTool, listTools, namesOf, offerSteps } from './support/offer-client.js';

const SET = { id: 'set_0', set: { a: 1 } };

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const withItem = (item: unknown): object => ({ type: 'object', properties: { item } });

const INVALID: [string, unknown][] = [
  ['a regular expression', withItem({ type: 'string', pattern: '^(a+)+$' })],
  [
    'a regular expression in an item',
    withItem({ type: 'array', items: { type: 'string', pattern: '^(a+)+$' } }),
  ],
  [
    'a list that must not repeat an item',
    withItem({ type: 'array', items: {}, uniqueItems: true }),
  ],
  ['a text in place of the properties', { type: 'object', properties: 'item' }],
  ['a text', 'object'],
  ['null', null],
];

describe('an offered workflow whose schema SQL of a tool has replaced', () => {
  it.each(INVALID)('is not a tool of agents when the schema has or is %s', async (name, schema) => {
    const tool = `order_${INVALID.findIndex(([title]) => title === name)}`;
    const id = await offerSteps(acme, [SET], tool);
    expect(namesOf(await listTools(acme))).toContain(tool);
    await switchboard.ownerQuery(
      'update offered_workflows set input_schema = $2, revision = $3 where workflow_id = $1',
      [id, JSON.stringify(schema), `revision of ${tool}`],
    );
    expect(namesOf(await listTools(acme))).not.toContain(tool);
    const { error } = await callTool(acme, tool, { item: 'aaaa!' });
    expect(error?.message).toContain(tool);
  });

  it('stays a tool when its schema is stored with more bytes than can be given', async () => {
    const leaf = { type: 'object' };
    const deep = { type: 'array', items: { type: 'array', items: withItem(leaf) } };
    const long = { ...leaf, description: 'x'.repeat(450) };
    const properties = Object.fromEntries(
      Array.from({ length: 48 }, (_, index) => [`p${index}`, index < 5 ? long : leaf]),
    );
    const schema = { type: 'object', properties: { ...properties, deep } };
    await offerSteps(acme, [SET], 'largest', { input_schema: schema });
    const [row] = await switchboard.ownerQuery<{ bytes: number }>(
      `select octet_length(input_schema::text) as bytes from offered_workflows
       where organization_id = $1 and name = 'largest'`,
      [acme.id],
    );
    expect(row!.bytes).toBeGreaterThan(4096);
    expect(namesOf(await listTools(acme))).toContain('largest');
  });
});
