import { Injectable } from '@nestjs/common';
import { IsString } from 'class-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool, ToolContent } from '../../src/tools/contract/tool.decorator.js';
import { listOutbox, untilStatus } from '../messaging/support.js';
import {
  type TestEffect,
  effectsBetween,
  readRows,
  withoutNewIds,
} from '../support/organization-rows.js';
import { allowEndingSessions, allowRenaming } from '../support/extra-grants.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { OutputSchemas } from '../support/output-schemas.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import { describeSlow, itSlow, sample } from '../support/thorough.js';
import { CHANGING_TOOLS } from '../support/tool-examples.js';
import { type Answer, answerOf, errorOf, textOf } from './support/answer.js';
import { CAPABILITIES_KEY, metaOf, postModern } from './support/modern.js';

const DRY_RUN = 'switchboard/dryRun';
const CONFIRMATION = 'switchboard.confirmation';
const INITIALIZED = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const BATCHED = [undefined, ...INITIALIZED];

interface Result {
  content: [{ type: string; text: string }];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown> & { [DRY_RUN]?: { effects: TestEffect[] } };
  requestState?: string;
}

class TextInput {
  @IsString()
  text: string;
}

class TextOutput {
  @IsString()
  text: string;
}

@Injectable()
class TeamTools {
  constructor(private readonly tenants: TenantDatabase) {}

  @Tool({ name: 'team_rename', title: 'R', description: 'R.', output: TextOutput })
  async rename({ text }: TextInput, { organizationId }: ToolCall): Promise<TextOutput> {
    const sql = 'update organizations set name = $1 where id = $2';
    await this.tenants.session(organizationId).query(sql, [text, organizationId]);
    return { text };
  }

  /** Fails in the middle of a statement, after it has changed a row. */
  @Tool({ name: 'team_break', title: 'B', description: 'B.', output: TextOutput })
  async break(input: TextInput, call: ToolCall): Promise<TextOutput> {
    await this.rename(input, call);
    await this.tenants.session(call.organizationId).query('select 1 / 0');
    return { text: '' };
  }

  @Tool({ name: 'team_cut', title: 'C', description: 'C.', output: TextOutput })
  async cut(input: TextInput, call: ToolCall): Promise<TextOutput> {
    await this.rename(input, call);
    const sql = 'select pg_terminate_backend(pg_backend_pid())';
    await this.tenants.session(call.organizationId).query(sql);
    return { text: '' };
  }

  @Tool({ name: 'team_say', title: 'S', description: 'Answers with content.' })
  async say(input: TextInput, call: ToolCall): Promise<ToolContent> {
    await this.rename(input, call);
    return ToolContent.text(input.text);
  }
}

let switchboard: Switchboard;
let acme: TestOrganization;

// There is no worker, so rows stay as the calls wrote them.
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [TeamTools] });
  await allowRenaming(switchboard);
  await allowEndingSessions(switchboard);
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const callOf = (name: string, given: object, flag?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  method: 'tools/call',
  params: {
    name,
    arguments: given,
    ...(flag !== undefined && { _meta: { [DRY_RUN]: flag } }),
  },
});
const headersOf = (version?: string): Record<string, string> =>
  version ? { 'MCP-Protocol-Version': version } : {};
const post = (message: unknown, version?: string): Promise<Answer> =>
  answerOf(acme.rpc(message, headersOf(version)));
/** Makes a modern call by a client that accepts input requests. */
const modern = (name: string, given: object, flag?: unknown, more: object = {}): Promise<Answer> =>
  postModern(acme, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: given,
      ...more,
      _meta: {
        ...metaOf(),
        [CAPABILITIES_KEY]: { elicitation: {} },
        ...(flag !== undefined && { [DRY_RUN]: flag }),
      },
    },
  });
const resultOf = ({ body }: Answer): Result => (body as { result: Result }).result;

/** Returns the rows of the organization without the time of the last use of its key, which dry runs change too. */
async function rows() {
  const found = await readRows(switchboard, acme.id);
  return new Map([...found].filter(([at]) => !at.startsWith('api_keys ')));
}

/** Returns the audit log of successful calls and the idempotency keys, which `rows` leaves out. */
async function books(): Promise<object[]> {
  return await switchboard.ownerQuery(
    `select action as name from audit_log where organization_id = $1 and outcome = 'ok'
     union all select key from idempotency_keys where organization_id = $1 order by 1`,
    [acme.id],
  );
}

async function withoutTrace<T>(work: () => Promise<T>): Promise<T> {
  const before = [await rows(), await books()];
  const result = await work();
  expect([await rows(), await books()]).toEqual(before);
  return result;
}

describe('tools/call as a dry run', () => {
  it('of every tool leaves no row behind and reports the effects that the real call then has', async () => {
    const { body } = await modernList();
    const { tools } = (body as { result: { tools: { name: string; outputSchema?: object }[] } })
      .result;
    const schemas = new OutputSchemas(tools);
    const names = tools.map(({ name }) => name).filter((name) => CHANGING_TOOLS[name]);
    expect(names.length).toBeGreaterThan(10);
    for (const tool of sample(names, 8)) {
      const given = await CHANGING_TOOLS[tool]!(acme, switchboard);
      const before = await rows();
      const legacy = resultOf(
        await withoutTrace(() => post(callOf(tool, given, true), '2025-11-25')),
      );
      const latest = resultOf(await withoutTrace(() => modern(tool, given, true)));
      const plain = resultOf(await withoutTrace(() => post(callOf(tool, given, true))));
      const real = resultOf(await post(callOf(tool, given), '2025-11-25'));
      expect(real.isError, `${tool}: ${real.content[0].text}`).toBeUndefined();
      const done = withoutNewIds(effectsBetween(before, await rows()), before);
      expect(done, tool).not.toEqual([]);
      for (const tried of [legacy, latest]) {
        expect(tried.isError, `${tool}: ${tried.content[0].text}`).toBeUndefined();
        schemas.check(tool, tried.structuredContent);
        expect(JSON.parse(tried.content[0].text)).toEqual(tried.structuredContent);
        expect(withoutNewIds(tried._meta![DRY_RUN]!.effects, before), tool).toEqual(done);
        expect(Object.keys(tried.structuredContent!)).toEqual(Object.keys(real.structuredContent!));
      }
      expect(Object.keys(plain)).toEqual(['content']);
      const told = JSON.parse(plain.content[0].text) as { effects: TestEffect[]; result: object };
      expect(Object.keys(told)).toEqual(['dry_run', 'result', 'effects']);
      schemas.check(tool, told.result);
      expect(withoutNewIds(told.effects, before), tool).toEqual(done);
    }
  });

  it.each(sample(INITIALIZED, 3))(
    'has its effects in _meta of the result in MCP %s',
    async (version) => {
      const answer = await withoutTrace(() =>
        post(callOf('team_rename', { text: 'New' }, true), version),
      );
      expect(answer.body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [{ type: 'text', text: '{"text":"New"}' }],
          ...(version >= '2025-06-18' && { structuredContent: { text: 'New' } }),
          _meta: {
            [DRY_RUN]: {
              effects: [
                { action: 'update', table: 'organizations', id: acme.id, changed: ['name'] },
              ],
            },
          },
        },
      });
    },
  );

  it('keeps the other members of _meta, and works for tools that return content', async () => {
    const answer = await withoutTrace(() => modern('team_say', { text: 'New' }, true));
    const { content, _meta: meta } = resultOf(answer);
    expect(content).toEqual([{ type: 'text', text: 'New' }]);
    expect(Object.keys(meta!).sort()).toEqual(['io.modelcontextprotocol/serverInfo', DRY_RUN]);
    expect(meta![DRY_RUN]!.effects).toHaveLength(1);
    const plain = await withoutTrace(() => post(callOf('team_say', { text: 'New' }, true)));
    expect(textOf(plain.body)).toEqual({
      dry_run: true,
      result: { content },
      effects: meta![DRY_RUN]!.effects,
    });
  });

  it('reads as usual and reports no effects', async () => {
    await acme.call('create_contact', { email: 'known@example.com' });
    const { structuredContent, _meta: meta } = resultOf(
      await modern('get_contact', { email: 'known@example.com' }, true),
    );
    expect(structuredContent).toMatchObject({ contact: { email: 'known@example.com' } });
    expect(meta![DRY_RUN]).toEqual({ effects: [] });
  });

  it('fails with the same error as the real call', async () => {
    const other = await createOrganization(switchboard);
    const { value } = await other.call<{ contact: { id: string } }>('create_contact', {
      email: 'theirs@example.com',
    });
    for (const given of [{ contact_id: value.contact.id }, { contact: 1 }, {}]) {
      const tried = await withoutTrace(() => modern('delete_contact', given, true));
      const real = await modern('delete_contact', given);
      expect(resultOf(tried).isError).toBe(true);
      expect(tried.body).toEqual(real.body);
    }
    const unknown = await post(callOf('no_tool', {}, true));
    expect(unknown.body).toEqual(errorOf(-32602, 1));
  });

  itSlow(
    'is a real call when dryRun is false, and is refused when dryRun is not a boolean',
    async () => {
      for (const value of ['true', 1, 0, null, {}, []]) {
        const call = callOf('team_rename', { text: 'New' }, value);
        for (const version of BATCHED) {
          const answer = await withoutTrace(() => post(call, version));
          expect(answer.body).toEqual(errorOf(-32602, 1));
        }
        const answer = await withoutTrace(() => modern('team_rename', { text: 'New' }, value));
        expect(answer.body).toEqual(errorOf(-32602, 1));
      }
      await post(callOf('team_rename', { text: 'Newer' }, false));
      const [row] = await switchboard.ownerQuery('select name from organizations where id = $1', [
        acme.id,
      ]);
      expect(row).toEqual({ name: 'Newer' });
    },
  );

  it('is rolled back when the call is a notification', async () => {
    for (const version of BATCHED) {
      const notification = callOf('team_rename', { text: 'New' }, true);
      const { id: _, ...message } = notification;
      const { status } = await withoutTrace(() => post(message, version));
      expect(status).toBe(202);
    }
  });

  it('needs a confirmation when the real call needs one, and this confirmation is not valid for the real call', async () => {
    await acme.call('set_tool_policy', { tool: 'team_rename', confirmation: 'when_possible' });
    const given = { text: 'New' };
    const question = await withoutTrace(() => modern('team_rename', given, true));
    expect(question.body).toMatchObject({ result: { resultType: 'input_required' } });
    expect(question.text).toContain('Confirm this dry run: ');
    const { requestState } = resultOf(question);
    const yes = { inputResponses: { [CONFIRMATION]: { action: 'accept' } }, requestState };
    const misused = await withoutTrace(() => modern('team_rename', given, undefined, yes));
    expect(misused.body).toEqual(errorOf(-32602, 1));
    for (let time = 0; time < 2; time += 1) {
      const tried = await withoutTrace(() => modern('team_rename', given, true, yes));
      expect(resultOf(tried)._meta![DRY_RUN]!.effects).toHaveLength(1);
    }
  });
});

describe('a batch of dry runs', () => {
  it('shows later calls the effects of earlier ones, and leaves no row behind', async () => {
    const email = 'new@example.com';
    const batch = [
      callOf('create_contact', { email }, true, 1),
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      callOf('send_message', { email, subject: 'Hello', body: 'Hello' }, true, 3),
      callOf('create_contact', { email }, true, 4),
      callOf('team_break', { text: 'Broken' }, true, 5),
      callOf('update_contact', { contact_id: 'con_none', first_name: 'X' }, true, 6),
      callOf('team_rename', { text: 'Renamed' }, true, undefined),
      callOf('team_rename', { text: 'Renamed' }, 'yes', 8),
      callOf('get_contact', { email }, true, 9),
      callOf('team_rename', { text: 'Renamed' }, true, 10),
    ].map((member, index) => (index === 6 ? withoutId(member) : member));
    for (const version of BATCHED) {
      const answer = await withoutTrace(() => post(batch, version));
      expect(answer.status).toBe(200);
      const responses = answer.body as { id: number; result?: Result; error?: { code: number } }[];
      expect(responses.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10]);
      const told = (id: number) =>
        toldBy(responses.find((response) => response.id === id)!.result!);
      const contactId = told(1).result.contact!.id!;
      expect(told(1).effects).toEqual([{ action: 'create', table: 'contacts', id: contactId }]);
      expect(told(3).result.message).toMatchObject({ contact_id: contactId });
      expect(told(3).effects).toEqual([
        { action: 'create', table: 'messages', id: told(3).result.message!.id },
      ]);
      expect(told(4).result).toMatchObject({ error: { code: 'conflict' } });
      expect(told(5).result).toMatchObject({ error: { code: 'internal' } });
      expect(told(6).result).toMatchObject({ error: { code: 'not_found' } });
      expect(responses.find(({ id }) => id === 8)!.error!.code).toBe(-32602);
      expect(told(9).result.contact!.id).toBe(contactId);
      expect(told(9).effects).toEqual([]);
      // The notification has renamed the contact, and the failed call has no effect.
      expect(told(10).effects).toEqual([]);
    }
  });

  itSlow('is refused as a whole when only some of its calls are dry runs', async () => {
    const call = (flag: unknown, id: number) =>
      callOf('create_contact', { email: `${id}@example.com` }, flag, id);
    for (const flags of [
      [true, undefined],
      [undefined, true],
      [true, false],
      [true, true, false],
    ]) {
      for (const version of BATCHED) {
        const batch = flags.map(call);
        const answer = await withoutTrace(() => post(batch, version));
        expect([answer.status, answer.body]).toEqual([400, errorOf(-32600, null)]);
        const notified = [batch[0], withoutId(batch[1]!), ...batch.slice(2)];
        expect((await withoutTrace(() => post(notified, version))).status).toBe(400);
      }
    }
  });

  it('replays only results of real calls for an idempotency key', async () => {
    const given = {
      ...(await CHANGING_TOOLS.send_message!(acme, switchboard)),
      idempotency_key: 'k',
    };
    const batch = [1, 2].map((id) => callOf('send_message', given, true, id));
    const { body } = await withoutTrace(() => post(batch, '2025-11-25'));
    const [first, second] = (body as { result: Result }[]).map(({ result }) => toldBy(result));
    // As with two real calls with one key, the second call returns the result of the first.
    expect(second!.result).toEqual(first!.result);
    expect([first!.effects.length, second!.effects.length]).toEqual([1, 0]);
    const real = toldBy(resultOf(await post(callOf('send_message', given), '2025-11-25')));
    expect(real.result.message!.id).not.toBe(first!.result.message!.id);
  });

  it('fails with unavailable and leaves no row behind after its connection breaks', async () => {
    const batch = [
      callOf('create_contact', { email: 'a@example.com' }, true, 1),
      callOf('team_cut', { text: 'New' }, true, 2),
      callOf('create_contact', { email: 'b@example.com' }, true, 3),
    ];
    const { body } = await withoutTrace(() => post(batch));
    const [first, ...rest] = (body as { result: Result }[]).map(({ result }) => toldBy(result));
    expect(first!.effects).toHaveLength(1);
    for (const { result } of rest) expect(result.error).toMatchObject({ code: 'unavailable' });
    const after = await post(callOf('create_contact', { email: 'b@example.com' }));
    expect(resultOf(after).isError).toBeUndefined();
  });
});

describe('a task', () => {
  it.each(['tasks/cancel', 'tasks/update'])('is not changed by %s as a dry run', async (method) => {
    const [capabilities, flag] = [{ extensions: { 'io.modelcontextprotocol/tasks': {} } }, true];
    const _meta = { ...metaOf(), [CAPABILITIES_KEY]: capabilities };
    const { workflow_id: id } = await CHANGING_TOOLS.trigger_workflow!(acme, switchboard);
    const { value } = await acme.call<{ run_id: string }>('trigger_workflow', { workflow_id: id });
    const message = (meta: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { taskId: value.run_id, inputResponses: {}, _meta: meta },
    });
    const headers = { 'Mcp-Name': value.run_id };
    const tried = message({ ..._meta, [DRY_RUN]: flag });
    const answer = await withoutTrace(() => postModern(acme, tried, headers));
    expect(answer.body).toEqual(errorOf(-32602, 1));
    expect((await postModern(acme, message(_meta), headers)).body).toHaveProperty('result');
  });

  it('is not returned for a dry run of trigger_workflow', async () => {
    const given = await CHANGING_TOOLS.trigger_workflow!(acme, switchboard);
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const message = (flag: boolean) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'trigger_workflow',
        arguments: given,
        _meta: { ...metaOf(), [CAPABILITIES_KEY]: capabilities, [DRY_RUN]: flag },
      },
    });
    const tried = await withoutTrace(() => postModern(acme, message(true)));
    expect(tried.body).toMatchObject({ result: { resultType: 'complete' } });
    const real = await postModern(acme, message(false));
    expect(real.body).toMatchObject({ result: { resultType: 'task' } });
  });
});

describeSlow('with workers', () => {
  it('sends no message and starts no run after a dry run', async () => {
    const whole = await startSwitchboard();
    try {
      acme = await createOrganization(whole);
      const message = await CHANGING_TOOLS.send_message!(acme, switchboard);
      const trigger = await CHANGING_TOOLS.trigger_workflow!(acme, switchboard);
      await post([
        callOf('send_message', message, true, 1),
        callOf('trigger_workflow', trigger, true, 2),
      ]);
      const sent = await acme.call<{ message: { id: string } }>('send_message', message);
      await untilStatus(acme, sent.value.message.id, 'sent');
      expect(await listOutbox(whole)).toEqual([`${sent.value.message.id}.eml`]);
      expect((await acme.call<{ runs: object[] }>('list_runs')).value.runs).toEqual([]);
    } finally {
      await whole.close();
    }
  });
});

function modernList(): Promise<Answer> {
  return postModern(acme, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: metaOf() },
  });
}

function withoutId(message: object): object {
  return Object.fromEntries(Object.entries(message).filter(([member]) => member !== 'id'));
}

/** Returns the result and the effects, which are in a different place in each era. */
function toldBy({ content, _meta: meta }: Result): {
  result: Record<string, { id?: string } | undefined>;
  effects: TestEffect[];
} {
  const told = JSON.parse(content[0].text) as never;
  if ('dry_run' in (told as object)) return told;
  return { result: told, effects: meta?.[DRY_RUN]?.effects ?? [] };
}
