import { Injectable } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Length } from 'class-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors/app-error.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { answerOf, errorOf, textOf } from '../mcp/support/answer.js';
import { modernRequest, postModern } from '../mcp/support/modern.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

class WordInput {
  @IsString()
  @Length(1, 20)
  word: string;

  @IsOptional()
  @IsString()
  idempotency_key?: string;
}

class WordOutput {
  @IsString()
  word: string;

  @IsInt()
  count: number;
}

@Injectable()
class WordTools {
  private count = 0;

  @Tool({
    name: 'keep_word',
    aliases: ['store_word', 'save_word'],
    title: 'Keep',
    description: 'Keeps a word.',
    output: WordOutput,
  })
  async keep({ word }: WordInput): Promise<WordOutput> {
    if (word === 'taken') throw new AppError('conflict', 'There is one already.');
    this.count += 1;
    return { word, count: this.count };
  }
}

const NOTE = { 'switchboard/deprecated': 'store_word is now keep_word' };
const callOf = (name: string, word = 'x', more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: { word, ...more } },
});

describe('a renamed tool', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  const warnings: string[] = [];

  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [WordTools] });
    const ignore = () => undefined;
    switchboard.app.useLogger({
      log: ignore,
      error: ignore,
      warn: (message: unknown) => warnings.push(String(message)),
    });
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const resultOf = async (message: object, version?: string) =>
    (
      (
        await answerOf(
          acme.rpc(message, version === undefined ? {} : { 'MCP-Protocol-Version': version }),
        )
      ).body as { result: Record<string, unknown> }
    ).result;

  it('is listed and suggested only under its current name', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const text of [
      (await answerOf(acme.rpc(message))).text,
      (await answerOf(acme.rpc(message, { 'MCP-Protocol-Version': '2025-11-25' }))).text,
      (await postModern(acme, modernRequest('tools/list'))).text,
      await (await acme.fetch('/api/tools')).text(),
    ]) {
      expect(text).toContain('"keep_word"');
      expect(text).not.toMatch(/store_word|save_word/);
    }
    expect((await answerOf(acme.rpc(callOf('store_wor')))).body).toEqual(errorOf(-32602, 1));
    expect((await answerOf(acme.rpc(callOf('store_wor')))).text).not.toContain('store_word');
  });

  it('has its current name in _meta of results and failures for MCP clients', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      expect((await resultOf(callOf('store_word'), version))._meta).toEqual(NOTE);
      const failed = await resultOf(callOf('store_word', 'taken'), version);
      expect(failed).toMatchObject({ isError: true, _meta: NOTE });
      expect(await resultOf(callOf('keep_word'), version)).not.toHaveProperty('_meta');
    }
    const ofServer = 'io.modelcontextprotocol/serverInfo';
    for (const word of ['x', 'taken']) {
      const params = { name: 'store_word', arguments: { word } };
      const { body } = await postModern(acme, modernRequest('tools/call', params));
      const { result } = body as { result: { resultType: string; _meta: object } };
      expect(result.resultType).toBe('complete');
      expect(result._meta).toEqual({ ...NOTE, [ofServer]: expect.anything() as object });
    }
  });

  it('adds nothing to results for plain callers', async () => {
    expect(Object.keys(await resultOf(callOf('store_word')))).toEqual(['content']);
    expect(Object.keys(await resultOf(callOf('store_word', 'taken')))).toEqual([
      'content',
      'isError',
    ]);
  });

  it('logs one warning for each deprecated name in use', async () => {
    warnings.length = 0;
    const fresh = await startSwitchboard({ providers: [WordTools] });
    try {
      const ignore = () => undefined;
      fresh.app.useLogger({
        log: ignore,
        error: ignore,
        warn: (message: unknown) => warnings.push(String(message)),
      });
      const globex = await createOrganization(fresh);
      for (const name of ['store_word', 'save_word', 'store_word', 'keep_word', 'save_word']) {
        await answerOf(globex.rpc(callOf(name)));
      }
    } finally {
      await fresh.close();
    }
    const about = warnings.filter((line) => line.includes('keep_word'));
    expect(about).toHaveLength(2);
    expect(about[0]).toContain('store_word');
    expect(about[1]).toContain('save_word');
  });

  it('has its current name in the audit log', async () => {
    await answerOf(acme.rpc(callOf('store_word')));
    const rows = await switchboard.ownerQuery(
      `select action from audit_log where organization_id = $1 and action like '%word'`,
      [acme.id],
    );
    expect(rows).toEqual([{ action: 'keep_word' }]);
  });

  it('runs once for an idempotency key under any of its names, even for a key that is older than the renaming', async () => {
    const key = { idempotency_key: 'k1' };
    const first = textOf((await answerOf(acme.rpc(callOf('store_word', 'x', key)))).body);
    const again = textOf((await answerOf(acme.rpc(callOf('keep_word', 'x', key)))).body);
    expect(again).toEqual(first);
    await switchboard.ownerQuery(
      `update idempotency_keys set tool = 'save_word' where organization_id = $1`,
      [acme.id],
    );
    for (const name of ['keep_word', 'save_word', 'store_word']) {
      expect(textOf((await answerOf(acme.rpc(callOf(name, 'x', key)))).body)).toEqual(first);
      const other = textOf((await answerOf(acme.rpc(callOf(name, 'y', key)))).body);
      expect(other).toMatchObject({ error: { code: 'idempotency_mismatch' } });
    }
  });

  it('can be called by its deprecated names by people and by steps', async () => {
    const response = await acme.fetch('/api/tools/store_word', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"word":"person"}',
    });
    expect(await response.json()).toMatchObject({ word: 'person' });
    const definition = (given: object) => ({
      name: 'Words',
      trigger: { type: 'manual' },
      steps: [{ id: 'keep', tool: 'store_word', arguments: given }],
    });
    expect((await acme.call('create_workflow', definition({ wort: 'x' }))).error).toMatchObject({
      details: expect.arrayContaining([
        expect.objectContaining({ path: 'steps[0].arguments.wort' }),
      ]) as unknown,
    });
    const { value } = await acme.call<{ workflow: { id: string } }>(
      'create_workflow',
      definition({ word: 'step' }),
    );
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: value.workflow.id,
    });
    const run = await waitFor(async () => {
      const found = await acme.call<{ run: { finished_at: string | null } }>(
        'get_run',
        started.value,
      );
      return found.value.run.finished_at !== null && found.value.run;
    });
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ output: { word: 'step' } }] });
  });

  it('keeps a policy that was set under a deprecated name until a new policy is set', async () => {
    await switchboard.ownerQuery(
      `insert into tool_policies (organization_id, tool, hidden, confirmation) values ($1, 'store_word', true, 'always')`,
      [acme.id],
    );
    const policies = async () => (await acme.call('list_tool_policies')).value;
    expect(await policies()).toEqual({
      policies: [{ tool: 'keep_word', hidden: true, confirmation: 'always' }],
    });
    for (const name of ['keep_word', 'store_word', 'save_word']) {
      expect((await answerOf(acme.rpc(callOf(name)))).body).toEqual(errorOf(-32602, 1));
    }
    expect(
      (await acme.call('set_tool_policy', { tool: 'save_word', hidden: false })).value,
    ).toEqual({ policy: { tool: 'keep_word', hidden: false, confirmation: 'always' } });
    expect(
      await switchboard.ownerQuery(
        'select tool, hidden, confirmation from tool_policies where organization_id = $1',
        [acme.id],
      ),
    ).toEqual([{ tool: 'keep_word', hidden: false, confirmation: 'always' }]);
    // The tool is visible again, and still needs confirmation.
    expect(textOf((await answerOf(acme.rpc(callOf('store_word')))).body)).toMatchObject({
      error: { code: 'confirmation_required' },
    });
  });
});

describe('boot', () => {
  @Injectable()
  class TwinTools {
    @Tool({
      name: 'find_people',
      aliases: ['search_contacts'],
      title: 'Twin',
      description: 'A twin.',
      output: WordOutput,
    })
    async twin(_input: WordInput): Promise<WordOutput> {
      return { word: '', count: 0 };
    }
  }

  @Injectable()
  class OldTwinTools {
    @Tool({
      name: 'hold_word',
      aliases: ['save_word'],
      title: 'Twin',
      description: 'A twin.',
      output: WordOutput,
    })
    async twin(_input: WordInput): Promise<WordOutput> {
      return { word: '', count: 0 };
    }
  }

  @Injectable()
  class BadAliasTools {
    @Tool({
      name: 'hold_word',
      aliases: ['Save Word'],
      title: 'Bad',
      description: 'Bad.',
      output: WordOutput,
    })
    async bad(_input: WordInput): Promise<WordOutput> {
      return { word: '', count: 0 };
    }
  }

  it.each([
    [
      [TwinTools],
      /Two tools are called search_contacts: .*(ContactTools\.search|TwinTools\.twin) and .*(ContactTools\.search|TwinTools\.twin)\./,
    ],
    [
      [WordTools, OldTwinTools],
      /Two tools are called save_word: WordTools\.keep and OldTwinTools\.twin\./,
    ],
    [[BadAliasTools], /BadAliasTools\.bad: "Save Word" is not a valid name for a tool/],
  ])('stops at %o', async (providers, message) => {
    await expect(startSwitchboard({ providers })).rejects.toThrow(message);
  });
});
