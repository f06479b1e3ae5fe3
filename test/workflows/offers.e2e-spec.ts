import { Injectable } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProcessorTurns } from '../../src/turns/processor-turns.js';
import type { TimeBudgets } from '../../src/turns/time-budgets.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { ChangeRecorder } from '../changes/change-recorder.js';
import { Listening } from '../mcp/support/listening.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import {
  callTool,
  ERAS,
  listTools,
  namesOf,
  offer,
  offerOf,
  offerSteps,
  said,
  succeed,
} from './support/offer-client.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow } from './support/workflow-client.js';

const ECHO = {
  id: 'ordered',
  tool: 'probe_echo',
  arguments: { value: { item: '{{ trigger.payload.item }}' } },
};

class NewInput {
  @IsOptional()
  @IsString()
  item?: string;
}

class NewResult {
  @IsString()
  by: string;
}

/** Lists the tools of a later release. */
@Injectable()
class NewTools {
  @Tool({
    name: 'later_order',
    aliases: ['former_order'],
    title: 'Order',
    description: 'Orders.',
    output: NewResult,
  })
  async order(_input: NewInput): Promise<NewResult> {
    return { by: 'the release' };
  }
}

let switchboard: Switchboard;
let acme: TestOrganization;
let globex: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProbeTools] });
  // The first answer reads all output schemas, so the call must precede the policy that hides a tool.
  globex = await createOrganization(switchboard);
  await globex.call('list_tool_policies');
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const newWorkflow = async (organization = acme): Promise<string> =>
  (await createWorkflow(organization, [ECHO], { trigger: { type: 'manual' } })).id;
const offers = async (organization = acme) =>
  (await organization.call<{ offers: Record<string, unknown>[] }>('list_workflow_tools')).value
    .offers;

describe('tools/list of an organization that offers workflows', () => {
  it.each(ERAS)('has the offered workflows after all other tools, by name: %s', async (era) => {
    const before = await listTools(acme, era);
    for (const name of ['order_b', 'order_c', 'order_a']) await offerSteps(acme, [ECHO], name);
    const after = await listTools(acme, era);
    expect(after.slice(0, before.length)).toEqual(before);
    const own = after.slice(before.length);
    expect(namesOf(own)).toEqual(['order_a', 'order_b', 'order_c']);
    // Each tool has the JSON members of the caller's era.
    expect(Object.keys(own[0]!)).toEqual(Object.keys(before[0]!).filter((key) => key !== 'icons'));
    expect(own[0]).toMatchObject({
      name: 'order_a',
      description: 'Places an order for a customer and returns its number.',
      inputSchema: {
        type: 'object',
        properties: {
          item: { type: 'string', description: 'What to order.' },
          idempotency_key: { type: 'string' },
        },
        required: ['item'],
        additionalProperties: false,
      },
    });
    expect(await listTools(acme, era)).toEqual(after);
    expect(namesOf(await listTools(globex, era))).toEqual(namesOf(before));
  });

  it('has at most twenty offered workflows, and accepts another workflow after a workflow is withdrawn', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      ids.push(await offerSteps(acme, [ECHO], `order_${index}`));
    }
    const more = { workflow_id: await newWorkflow(), ...offerOf('one_more') };
    expect((await acme.call('offer_workflow_as_tool', more)).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('at most 20') as string,
    });
    // One of the twenty offered workflows can still be changed.
    await offer(acme, ids[0]!, 'order_zero');
    await succeed(acme, 'withdraw_workflow_tool', { workflow_id: ids[1] });
    await succeed(acme, 'offer_workflow_as_tool', more);
    expect(await offers()).toHaveLength(20);
  });

  it('has at most twenty offered workflows, and each name once, even for simultaneous offers', async () => {
    const ids = await Promise.all(Array.from({ length: 24 }, () => newWorkflow()));
    const answers = await Promise.all(
      ids.map((workflow_id, index) =>
        acme.call('offer_workflow_as_tool', {
          workflow_id,
          ...offerOf(`order_${Math.floor(index / 2)}`),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(12);
    for (const { error } of answers) if (error) expect(error.code).toBe('invalid_arguments');
    expect(new Set((await offers()).map(({ name }) => name)).size).toBe(12);
  });

  it('notifies subscribers of every change, and of nothing else', async () => {
    const recorder = await ChangeRecorder.start(switchboard, acme.id);
    const changed = async (tool: string, given: object) => {
      await succeed(acme, tool, given);
      return (await recorder.takeAll(switchboard, acme.id)).filter(({ kind }) => kind === 'tools')
        .length;
    };
    const workflow_id = await newWorkflow();
    const other = { workflow_id: await newWorkflow() };
    const given = { workflow_id, ...offerOf('told_order') };
    expect(await changed('offer_workflow_as_tool', given)).toBe(1);
    expect(await changed('offer_workflow_as_tool', { ...given, title: 'New' })).toBe(1);
    expect(await changed('deactivate_workflow', { workflow_id })).toBe(1);
    expect(await changed('deactivate_workflow', { workflow_id })).toBe(0);
    expect(await changed('activate_workflow', { workflow_id })).toBe(1);
    expect(await changed('deactivate_workflow', other)).toBe(0);
    expect(await changed('update_workflow', { workflow_id, name: 'New' })).toBe(0);
    expect(await changed('delete_workflow', other)).toBe(0);
    expect(await changed('withdraw_workflow_tool', { workflow_id })).toBe(1);
    expect(await changed('offer_workflow_as_tool', given)).toBe(1);
    expect(await changed('delete_workflow', { workflow_id })).toBe(1);
    recorder.close();
  });

  it('sends notifications/tools/list_changed', async () => {
    const listening = await Listening.to(switchboard.url, acme.key, { toolsListChanged: true });
    await offerSteps(acme, [ECHO], 'heard_order');
    await waitFor(() =>
      listening.frames.some(({ method }) => method === 'notifications/tools/list_changed'),
    );
    listening.close();
  });
});

describe('a policy for an offered workflow', () => {
  it('hides it completely, and shows it again when the policy is removed', async () => {
    const workflow_id = await offerSteps(acme, [ECHO], 'hidden_order');
    const policy = { tool: 'hidden_order', hidden: true };
    await succeed(acme, 'set_tool_policy', policy);
    for (const era of ERAS) {
      expect(namesOf(await listTools(acme, era))).not.toContain('hidden_order');
      const { error } = await callTool(acme, 'hidden_order', { item: 'x' }, era);
      expect(error).toEqual({ code: -32602, message: 'Unknown tool: hidden_order' });
    }
    const kept = [{ tool: 'hidden_order', hidden: true, confirmation: 'never' }];
    const policies = async () =>
      (await acme.call<{ policies: unknown }>('list_tool_policies')).value.policies;
    expect(await policies()).toEqual(kept);
    // The policy belongs to the name, so it stays when the workflow is withdrawn.
    await succeed(acme, 'withdraw_workflow_tool', { workflow_id });
    expect(await policies()).toEqual(kept);
    await offer(acme, workflow_id, 'hidden_order');
    expect(namesOf(await listTools(acme))).not.toContain('hidden_order');
    await succeed(acme, 'withdraw_workflow_tool', { workflow_id });
    await succeed(acme, 'set_tool_policy', { ...policy, hidden: false });
    expect(await policies()).toEqual([]);
    expect((await acme.call('set_tool_policy', policy)).error!.details).toMatchObject([
      { path: 'tool', message: expect.stringMatching(/^is not the name of a tool/) as string },
    ]);
    await offer(acme, workflow_id, 'hidden_order');
    await succeed(acme, 'deactivate_workflow', { workflow_id });
    await succeed(acme, 'set_tool_policy', policy);
    await succeed(acme, 'activate_workflow', { workflow_id });
    expect(namesOf(await listTools(acme))).not.toContain('hidden_order');
    expect((await globex.call('set_tool_policy', policy)).error!.details).toHaveLength(1);
  });

  it('makes its calls need the approval of a person, after which the run starts once', async () => {
    const id = await offerSteps(acme, [ECHO], 'asked_order');
    await succeed(acme, 'set_tool_policy', { tool: 'asked_order', confirmation: 'always' });
    const call = async () => said(await callTool(acme, 'asked_order', { item: 'tea' }));
    const asked = (await call()) as { error: { code: string; confirmation_id: string } };
    expect(asked.error.code).toBe('confirmation_required');
    await succeed(acme, 'approve_confirmation', { confirmation_id: asked.error.confirmation_id });
    const answers = [await call(), await call()];
    expect(answers[0]).toMatchObject({ status: 'succeeded' });
    expect(answers[1]).toEqual(answers[0]);
    const { value } = await acme.call<{ runs: object[] }>('list_runs', { workflow_id: id });
    expect(value.runs).toHaveLength(1);
  });

  it('ends when the workflow is withdrawn', async () => {
    await switchboard.ownerQuery(
      `insert into tool_policies (organization_id, tool, hidden) select $1, 'tool_' || n, true from generate_series(1, 500) n`,
      [acme.id],
    );
    const given = { tool: 'list_runs', hidden: true };
    expect((await acme.call('set_tool_policy', given)).error!.code).toBe('conflict');
    await succeed(acme, 'set_tool_policy', { tool: 'tool_7', hidden: false });
    await succeed(acme, 'set_tool_policy', given);
  });
});

describe('the name of an offered workflow that a later release uses for its own tool', () => {
  it.each(['later_order', 'former_order'])(
    'is used for the tool of the release, and the log reports that the offered workflow lost its name: %s',
    async (name) => {
      const workflowId = await offerSteps(acme, [ECHO], name);
      await offerSteps(acme, [ECHO], 'other_order');
      const later = await startSwitchboard({
        providers: [ProbeTools, NewTools],
        databaseUrl: switchboard.databaseUrl,
        env: { ROLE: 'web' },
      });
      const there: TestOrganization = {
        ...acme,
        rpc: (body, headers = {}) =>
          fetch(`${later.url}/api/mcp`, {
            method: 'POST',
            headers: {
              Authorization: `Bearer ${acme.key}`,
              'Content-Type': 'application/json',
              ...headers,
            },
            body: JSON.stringify(body),
          }),
      };
      const names = namesOf(await listTools(there));
      expect(names.filter((each) => each === 'later_order')).toHaveLength(1);
      expect(names).not.toContain('former_order');
      expect(names).toContain('other_order');
      expect(said(await callTool(there, name, { item: 'x' }))).toEqual({ by: 'the release' });
      expect(said(await callTool(acme, name, { item: 'x' })).status).toBe('succeeded');
      const response = await fetch(`${later.url}/api/tools/list_workflow_tools`, {
        method: 'POST',
        headers: { Cookie: acme.cookie, Origin: later.url, 'Content-Type': 'application/json' },
        body: '{}',
      });
      const listed = (await response.json()) as { offers: object[] };
      expect(listed.offers).toMatchObject([
        { workflow_id: workflowId, name, state: 'name_taken' },
        { name: 'other_order', state: 'offered' },
      ]);
      await later.close();
    },
  );
});

describe('offer_workflow_as_tool', () => {
  it('stores its arguments, and list_workflow_tools shows them', async () => {
    const workflow_id = await newWorkflow();
    const result = { item: '{{ ordered.value.item }}' };
    const saved = await offer(acme, workflow_id, 'kept_order', { wait_seconds: 3, result });
    expect(saved).toEqual({
      workflow_id,
      ...offerOf('kept_order'),
      input_schema: { ...offerOf('').input_schema, additionalProperties: false },
      state: 'offered',
      wait_seconds: 3,
      result,
      updated_at: expect.stringMatching(/Z$/) as string,
    });
    expect(await offers()).toEqual([saved]);
    expect(await offers(globex)).toEqual([]);
    await succeed(acme, 'deactivate_workflow', { workflow_id });
    expect(await offers()).toEqual([{ ...saved, state: 'inactive' }]);
    const changed = await offer(acme, workflow_id, 'kept_order');
    expect(changed).toMatchObject({ state: 'inactive', wait_seconds: 10, result: null });
    expect(await offers()).toEqual([changed]);
  });

  it('reads the expressions of its result within the processor time of the organization', async () => {
    const workflow_id = await newWorkflow();
    const { budgets } = switchboard.app.get<{ budgets: TimeBudgets }>(ProcessorTurns);
    budgets.spend(acme.id, 1e9);
    const result = { item: '{{ ordered.value.item }}' };
    const given = { workflow_id, ...offerOf('costly_order') };
    const { error } = await acme.call('offer_workflow_as_tool', { ...given, result });
    expect(error).toMatchObject({ code: 'rate_limited' });
    expect(await offers()).toEqual([]);
    // A result without expressions needs no processor time.
    await succeed(acme, 'offer_workflow_as_tool', { ...given, result: { item: 'tea' } });
  });

  it.each<[object, string, string]>([
    [{ name: 'Order' }, 'name', 'must match'],
    [{ name: 'send_message' }, 'name', 'is the name of a built-in tool'],
    [{ name: 'http_request' }, 'name', 'is the name of a built-in tool'],
    [{ name: 'set_tool_policy' }, 'name', 'is the name of a built-in tool'],
    [{ name: 'taken_order' }, 'name', 'is the tool name of another workflow'],
    [{ description: 'Too short.' }, 'description', '20'],
    [{ description: 'x'.repeat(1001) }, 'description', '1000'],
    [{ description: `Places an order.${'\u{e0041}'.repeat(9)}` }, 'description', 'U+E0041'],
    [{ title: 'a\u202eb' }, 'title', 'U+202E'],
    [{ title: '' }, 'title', '1'],
    [{ wait_seconds: 26 }, 'wait_seconds', '25'],
    [{ wait_seconds: -1 }, 'wait_seconds', '0'],
    [{ input_schema: { type: 'array' } }, 'input_schema.type', 'must be object'],
    [{ input_schema: 'x' }, 'input_schema', 'object'],
    [
      { input_schema: { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } } },
      'input_schema.properties.a.pattern',
      'is not known here',
    ],
    [
      { input_schema: { type: 'object', properties: { idempotency_key: { type: 'string' } } } },
      'input_schema.properties.idempotency_key',
      'is reserved',
    ],
    [
      { input_schema: { type: 'object', properties: {}, description: 'é'.repeat(2100) } },
      'input_schema',
      'must be at most 4096 bytes',
    ],
    [{ result: { a: '{{ x' } }, 'result.a', 'is not a valid expression'],
    [{ result: { a: [{ b: '{{ order.x }}' }] } }, 'result.a[0].b', 'refers to "order"'],
    [{ result: { a: '{{ contact.id }}' } }, 'result.a', 'refers to "contact"'],
    [{ result: { a: 'x'.repeat(17_000) } }, 'result', 'must be at most 16384 bytes'],
    [{ result: [] }, 'result', 'object'],
  ])('refuses %j', async (more, path, message) => {
    await offerSteps(acme, [ECHO], 'taken_order');
    const workflow_id = await newWorkflow();
    const given = { workflow_id, ...offerOf('new_order'), ...more };
    const { error } = await acme.call('offer_workflow_as_tool', given);
    expect(error!.details).toContainEqual({
      path,
      message: expect.stringContaining(message) as string,
    });
    expect(await offers()).toHaveLength(1);
  });

  it('reports all faults together', async () => {
    const given = {
      workflow_id: await newWorkflow(),
      ...offerOf('send_message', { title: 'a\u202e', result: { a: '{{ x' } }),
      input_schema: { type: 'object', properties: { a: {} } },
    };
    const { error } = await acme.call('offer_workflow_as_tool', given);
    expect(error!.details!.map(({ path }) => path)).toEqual([
      'name',
      'title',
      'input_schema.properties.a.type',
      'result.a',
    ]);
  });

  it('does not find deleted workflows or workflows of other organizations', async () => {
    const theirs = await newWorkflow(globex);
    const deleted = await newWorkflow();
    await succeed(acme, 'delete_workflow', { workflow_id: deleted });
    for (const workflow_id of [theirs, deleted, 'x']) {
      const answers = [
        await acme.call('offer_workflow_as_tool', { workflow_id, ...offerOf('theirs') }),
        await acme.call('withdraw_workflow_tool', { workflow_id }),
      ];
      for (const { status } of answers) expect(status).toBe(404);
    }
    // Names are unique only within an organization.
    await offer(globex, theirs, 'same_order');
    await offerSteps(acme, [ECHO], 'same_order');
    expect(said(await callTool(acme, 'same_order', { item: 'mine' })).output).toEqual({
      value: { item: 'mine' },
    });
    await succeed(globex, 'withdraw_workflow_tool', { workflow_id: theirs });
    expect(said(await callTool(acme, 'same_order', { item: 'x' })).status).toBe('succeeded');
  });

  it('is refused for agents, members and steps', async () => {
    const workflow_id = await offerSteps(acme, [ECHO], 'owned_order');
    const tools = ['offer_workflow_as_tool', 'withdraw_workflow_tool', 'list_workflow_tools'];
    for (const name of tools) {
      expect(namesOf(await listTools(acme))).not.toContain(name);
      expect((await callTool(acme, name, { workflow_id })).error!.code).toBe(-32602);
      const { error } = await acme.call('create_workflow', {
        name: 'X',
        trigger: { type: 'manual' },
        steps: [{ id: 'a', tool: name, arguments: { workflow_id } }],
      });
      expect(error!.details).toMatchObject([{ path: 'steps[0].tool' }]);
    }
    await switchboard.ownerQuery(`update memberships set role = 'member' where user_id = $1`, [
      acme.userId,
    ]);
    const given = { workflow_id, ...offerOf('owned_order', { title: 'Changed' }) };
    expect((await acme.call('offer_workflow_as_tool', given)).status).toBe(403);
    expect((await acme.call('withdraw_workflow_tool', { workflow_id })).status).toBe(403);
    expect(await offers()).toMatchObject([{ title: 'Place an order' }]);
  });
});
