import { Injectable } from '@nestjs/common';
import { IsString } from 'class-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthenticatedKey, KeysService } from '../../src/keys/keys.service.js';
import { ToolPolicies } from '../../src/policies/tool-policies.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { answerOf, errorOf, textOf } from '../mcp/support/answer.js';
import { modernRequest, postModern } from '../mcp/support/modern.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH, itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';

class WordInput {
  @IsString()
  word: string;
}

@Injectable()
class WordTools {
  @Tool({ name: 'keep_word', title: 'Keep', description: 'Keeps a word.', output: WordInput })
  async keep({ word }: WordInput): Promise<WordInput> {
    return { word };
  }

  @Tool({
    name: 'people_word',
    title: 'Say',
    description: 'Says a word to people.',
    output: WordInput,
    surfaces: ['dashboard'],
  })
  async say({ word }: WordInput): Promise<WordInput> {
    return { word };
  }
}

let switchboard: Switchboard;
/** A second process of the same installation. */
let sibling: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [WordTools] });
  sibling = await startSwitchboard({
    providers: [WordTools],
    databaseUrl: switchboard.databaseUrl,
    env: { ROLE: 'web' },
  });
  // Reads all output schemas at the first call, so this call must come before any tool is hidden.
  await (await createOrganization(switchboard)).call('list_tool_policies');
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  globex = await createOrganization(switchboard);
});
afterAll(async () => {
  await sibling.close();
  await switchboard.close();
});

const VERSIONS = [undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

async function set(organization: TestOrganization, given: object): Promise<unknown> {
  const { value, error } = await organization.call<{ policy: object }>('set_tool_policy', given);
  if (error) throw new Error(JSON.stringify(error));
  return value.policy;
}

async function policiesOf(organization: TestOrganization): Promise<unknown> {
  return (await organization.call<{ policies: unknown }>('list_tool_policies')).value.policies;
}

/** Returns the names in tools/list of each era, the modern era last. */
async function agentLists(organization: TestOrganization): Promise<string[][]> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const answers = [];
  for (const version of VERSIONS) {
    const headers: Record<string, string> = version ? { 'MCP-Protocol-Version': version } : {};
    answers.push(await answerOf(organization.rpc(message, headers)));
  }
  answers.push(await postModern(organization, modernRequest('tools/list')));
  return answers.map(({ body }) =>
    (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name),
  );
}

async function personList(organization: TestOrganization): Promise<string[]> {
  const response = await organization.fetch('/api/tools');
  return ((await response.json()) as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

const callOf = (name: string, id: number = 1, given: object = { word: 'x' }) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

describe('a hidden tool', () => {
  beforeEach(() => set(acme, { tool: 'keep_word', hidden: true }));

  it('is missing from every list of its organization and present in the lists of other organizations', async () => {
    for (const names of await agentLists(acme)) {
      expect(names).toContain('create_contact');
      expect(names).not.toContain('keep_word');
    }
    for (const names of await agentLists(globex)) expect(names).toContain('keep_word');
    expect(await personList(acme)).not.toContain('keep_word');
    expect(await personList(globex)).toContain('keep_word');
  });

  it('gives agents the same error as an unknown tool, in every era', async () => {
    const hidden = 'keep_word';
    const unknown = 'drop_word';
    for (const version of VERSIONS) {
      const headers: Record<string, string> = version ? { 'MCP-Protocol-Version': version } : {};
      const texts = [];
      for (const name of [hidden, unknown]) {
        const { text, status } = await answerOf(acme.rpc(callOf(name), headers));
        texts.push(`${status} ${text.replaceAll(name, '<name>')}`);
      }
      expect(texts[0]).toBe(texts[1]);
      expect(texts[0]).toContain('-32602');
    }
    const [first, second] = [
      await postModern(acme, modernRequest('tools/call', { name: hidden })),
      await postModern(acme, modernRequest('tools/call', { name: unknown })),
    ];
    expect(first.text.replaceAll(hidden, '<name>')).toBe(second.text.replaceAll(unknown, '<name>'));
    expect(first.status).toBe(second.status);
    expect((await answerOf(globex.rpc(callOf(hidden)))).body).toMatchObject({ result: {} });
  });

  it('gives people the same error as for an unknown tool', async () => {
    expect(await acme.call('keep_word', { word: 'x' })).toEqual(
      await acme.call('drop_word', { word: 'x' }),
    );
    expect((await acme.call('keep_word', { word: 'x' })).status).toBe(404);
    expect((await globex.call('keep_word', { word: 'x' })).value).toEqual({ word: 'x' });
  });

  it('is never suggested', async () => {
    const agent = async (organization: TestOrganization) =>
      (await answerOf(organization.rpc(callOf('keep_wort')))).text;
    expect(await agent(globex)).toContain('Did you mean keep_word?');
    expect(await agent(acme)).not.toContain('keep_word');
    const person = async (organization: TestOrganization) =>
      (await organization.call('keep_wort', {})).error!.message;
    expect(await person(globex)).toContain('Did you mean keep_word?');
    expect(await person(acme)).not.toContain('keep_word');
  });

  it('does not run as a member of a batch, while the other members do', async () => {
    const { body } = await answerOf(acme.rpc([callOf('keep_word', 1), callOf('keep_wor', 2)]));
    expect(body).toEqual([errorOf(-32602, 1), errorOf(-32602, 2)]);
    const mixed = [callOf('keep_word', 1), callOf('create_contact', 2, { email: 'a@example.com' })];
    const answers = (await answerOf(acme.rpc(mixed))).body as unknown[];
    expect(answers[0]).toEqual(errorOf(-32602, 1));
    expect(textOf(answers[1])).toMatchObject({ created: true });
    expect(
      await switchboard.ownerQuery(
        `select action from audit_log where organization_id = $1 and outcome = 'ok'`,
        [acme.id],
      ),
    ).not.toContainEqual({ action: 'keep_word' });
  });

  itSlow(
    'is refused in a new definition without a suggestion, while runs of earlier definitions continue',
    async () => {
      const definition = {
        name: 'Words',
        trigger: { type: 'manual' },
        steps: [{ id: 'keep', tool: 'keep_word', arguments: { word: 'kept' } }],
      };
      const refused = await acme.call('create_workflow', definition);
      expect(refused.error).toMatchObject({
        code: 'invalid_arguments',
        details: [{ path: 'steps[0].tool', message: '"keep_word" is not a tool for steps.' }],
      });
      const saved = await globex.call<{ workflow: { id: string } }>('create_workflow', definition);
      const { id } = saved.value.workflow;
      await set(globex, { tool: 'keep_word', hidden: true });
      const update = { workflow_id: id, steps: [{ ...definition.steps[0], id: 'again' }] };
      expect((await globex.call('update_workflow', update)).error?.code).toBe('invalid_arguments');
      const started = await globex.call<{ run_id: string }>('trigger_workflow', {
        workflow_id: id,
      });
      const run = await waitFor(async () => {
        const { value } = await globex.call<{
          run: { status: string; finished_at: string | null };
        }>('get_run', started.value);
        return value.run.finished_at !== null && value.run;
      });
      expect(run).toMatchObject({ status: 'succeeded', steps: [{ output: { word: 'kept' } }] });
    },
  );

  it('is available at once in every process after its policy is removed', async () => {
    const lists = async () => {
      const response = await fetch(`${sibling.url}/api/mcp`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      return (await response.text()).includes('"keep_word"');
    };
    expect(await lists()).toBe(false);
    await set(acme, { tool: 'keep_word', hidden: false });
    expect(await lists()).toBe(true);
    await set(acme, { tool: 'keep_word', hidden: true });
    expect(await lists()).toBe(false);
  });

  it('stays hidden when the organization gets a new key', async () => {
    const created = await acme.fetch('/api/mcp/keys', { method: 'POST' });
    const { api_key: key } = (await created.json()) as { api_key: string };
    expect((await acme.rpc(callOf('noop'))).status).toBe(401);
    const response = await fetch(`${switchboard.url}/api/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(callOf('keep_word')),
    });
    expect(await response.json()).toEqual(errorOf(-32602, 1));
  });

  it.runIf(IS_THOROUGH)(
    'is listed correctly when more sets of hidden tools are used than are cached',
    async () => {
      const tools = (await personList(globex)).filter((name) => !name.includes('tool_polic'));
      // The lists for twenty sets of hidden tools are cached.
      const [first, ...others] = tools.slice(0, 22);
      expect(others).toHaveLength(21);
      const [ofAgents = []] = await agentLists(globex);
      for (const [index, other] of others.entries()) {
        await set(globex, { tool: other, hidden: true });
        await set(globex, { tool: first, hidden: index % 2 === 0 });
        const policies = (await policiesOf(globex)) as { tool: string; hidden: boolean }[];
        const hidden = new Set(policies.map(({ tool }) => tool));
        const expected = ofAgents.filter((name) => !hidden.has(name));
        for (const names of await agentLists(globex)) expect(names).toEqual(expected);
      }
    },
  );
});

describe('a tool with confirmation', () => {
  const policies = async (organization: TestOrganization): Promise<ToolPolicies> => {
    const keys = switchboard.app.get(KeysService, { strict: false });
    return ((await keys.authenticate(organization.key)) as AuthenticatedKey).toolPolicies;
  };

  it('is in the policies that are loaded with the API key of its organization, and not in the policies of another organization', async () => {
    expect(await policies(acme)).toBe(ToolPolicies.NONE);
    await set(acme, { tool: 'keep_word', confirmation: 'always' });
    await set(acme, { tool: 'create_contact', confirmation: 'when_possible' });
    const found = await policies(acme);
    expect(found.confirmation('keep_word')).toBe('always');
    expect(found.confirmation('create_contact')).toBe('when_possible');
    expect(found.confirmation('get_contact')).toBe('never');
    expect(found.hides('keep_word')).toBe(false);
    expect(await policies(globex)).toBe(ToolPolicies.NONE);
    await set(acme, { tool: 'keep_word', confirmation: 'never' });
    await set(acme, { tool: 'create_contact', confirmation: 'never' });
    expect(await policies(acme)).toBe(ToolPolicies.NONE);
  });
});

describe('set_tool_policy and list_tool_policies', () => {
  it('change the given fields, store only fields that differ from the default, and write an audit row', async () => {
    expect(await set(acme, { tool: 'keep_word', hidden: true })).toEqual({
      tool: 'keep_word',
      hidden: true,
      confirmation: 'never',
    });
    expect(await set(acme, { tool: 'keep_word', confirmation: 'always' })).toEqual({
      tool: 'keep_word',
      hidden: true,
      confirmation: 'always',
    });
    expect(await policiesOf(acme)).toEqual([
      { tool: 'keep_word', hidden: true, confirmation: 'always' },
    ]);
    expect(await policiesOf(globex)).toEqual([]);
    await set(acme, { tool: 'keep_word', hidden: false, confirmation: 'never' });
    expect(await policiesOf(acme)).toEqual([]);
    expect(
      await switchboard.ownerQuery('select * from tool_policies where organization_id = $1', [
        acme.id,
      ]),
    ).toEqual([]);
    const rows = await switchboard.ownerQuery(
      `select actor_id, action, subject from audit_log where organization_id = $1 and action like '%policy'`,
      [acme.id],
    );
    expect(rows).toEqual(
      Array.from({ length: 3 }, () => ({
        actor_id: acme.userId,
        action: 'set_tool_policy',
        subject: 'keep_word',
      })),
    );
  });

  itSlow('lose no change when two fields of a policy change concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        set(acme, { tool: 'keep_word', hidden: true }),
        set(acme, { tool: 'keep_word', confirmation: 'always' }),
      ]);
      expect(await policiesOf(acme)).toEqual([
        { tool: 'keep_word', hidden: true, confirmation: 'always' },
      ]);
      await set(acme, { tool: 'keep_word', hidden: false, confirmation: 'never' });
    }
  });

  it.each(
    sample(
      [
        [{ tool: 'keep_wort', hidden: true }, 'tool', 'Did you mean keep_word?'],
        [{ tool: '__proto__', hidden: true }, 'tool', 'not the name of a tool'],
        [{ tool: 'keep_word' }, '', 'needs hidden, confirmation or both'],
        [{ tool: 'keep_word', confirmation: 'sometimes' }, 'confirmation', 'never'],
        [{ tool: 'keep_word', hidden: 'yes' }, 'hidden', 'boolean'],
        [{ tool: 'people_word', confirmation: 'always' }, 'confirmation', 'agents'],
        [{ tool: 'set_tool_policy', hidden: true }, 'tool', 'cannot have a policy'],
        [{ tool: 'set_tool_policy', confirmation: 'always' }, 'tool', 'cannot have a policy'],
        [{ tool: 'list_tool_policies', hidden: true }, 'tool', 'cannot have a policy'],
      ],
      3,
    ),
  )('refuse %j', async (given, path, message) => {
    const { status, error } = await acme.call('set_tool_policy', given);
    expect(status).toBe(422);
    expect(error!.details).toContainEqual({
      path,
      message: expect.stringContaining(message) as string,
    });
    expect(await policiesOf(acme)).toEqual([]);
  });

  it('can name a hidden tool, and a tool that only people can call', async () => {
    await set(acme, { tool: 'people_word', hidden: true });
    expect((await acme.call('people_word', { word: 'x' })).status).toBe(404);
    await set(acme, { tool: 'people_word', hidden: false, confirmation: 'never' });
    expect((await acme.call('people_word', { word: 'x' })).status).toBe(200);
  });

  it('are not available to agents and steps', async () => {
    for (const name of ['set_tool_policy', 'list_tool_policies']) {
      for (const names of await agentLists(acme)) expect(names).not.toContain(name);
      const { body } = await answerOf(acme.rpc(callOf(name, 1, { tool: 'keep_word' })));
      expect(body).toEqual(errorOf(-32602, 1));
      const { error } = await acme.call('create_workflow', {
        name: 'Policy',
        trigger: { type: 'manual' },
        steps: [{ id: 'a', tool: name, arguments: {} }],
      });
      expect(error?.code).toBe('invalid_arguments');
    }
  });

  it('are refused to people who are not owners', async () => {
    await switchboard.ownerQuery(`update memberships set role = 'member' where user_id = $1`, [
      acme.userId,
    ]);
    for (const [name, given] of [
      ['set_tool_policy', { tool: 'keep_word', hidden: true }],
      ['list_tool_policies', {}],
    ] as const) {
      expect(await acme.call(name, given)).toMatchObject({
        status: 403,
        error: {
          code: 'forbidden',
          message: 'Only an owner of the organization may call this tool.',
        },
      });
    }
    expect((await acme.call('keep_word', { word: 'x' })).status).toBe(200);
  });
});
