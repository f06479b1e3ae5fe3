import { type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { IsIn, IsInt, IsOptional, IsString, Length, ValidateIf } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Completion, type CompletionCall } from '../../src/completions/completion.decorator.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { Prompt, type PromptResult } from '../../src/prompts/prompt.decorator.js';
import { askForm } from '../../src/tools/contract/input-request.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Doc } from '../../src/tools/schema/doc.decorator.js';
import { answerOf } from '../mcp/support/answer.js';
import { ask, resultOf } from '../mcp/support/ask.js';
import { CAPABILITIES_KEY, modernHeaders, modernRequest } from '../mcp/support/modern.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';

class NoInput {}

class ColourInput {
  @Doc('A colour.')
  @IsIn(['red', 'green'])
  colour: string;

  @IsOptional()
  @IsString()
  @Length(2, 10)
  shade?: string;

  @IsString()
  resourceUri: string = 'none';
}

class NameForm {
  @IsString()
  name: string;
}

const says = (text: string): PromptResult => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
});

@Injectable()
class TeamGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [given] = context.getArgs<[unknown, ToolCall]>();
    const text = typeof given === 'string' ? given : (given as { colour?: string }).colour;
    return ['prompt', 'completion'].includes(context.getType<string>()) && text !== 'green';
  }
}

@Injectable()
class TeamPrompts {
  constructor(private readonly tenants: TenantDatabase) {}

  @UseGuards(TeamGuard)
  @Prompt({ name: 'team_colour', title: 'Colour', description: 'Paints.' })
  paint(input: ColourInput): Promise<PromptResult> {
    return Promise.resolve(says(JSON.stringify(input)));
  }

  @Prompt({ name: 'team_simple', title: 'Simple', description: 'Says something.' })
  simple(_input: NoInput): Promise<PromptResult> {
    return Promise.resolve({ description: 'It is simple.', ...says('simple') });
  }

  @Prompt({ name: 'team_asks', title: 'Asks', description: 'Asks.' })
  async asks(_input: NoInput, call: ToolCall): Promise<PromptResult> {
    const { person } = await call.ask({ person: askForm('Who are you?', NameForm) });
    return says(person.name);
  }

  @Prompt({ name: 'team_writes', title: 'Writes', description: 'Writes.' })
  async writes(_input: NoInput, { organizationId }: ToolCall): Promise<PromptResult> {
    await this.tenants
      .session(organizationId)
      .query('update organizations set name = $1 where id = $2', ['taken', organizationId]);
    return says('written');
  }

  @Prompt({ name: 'team_nothing', title: 'Nothing', description: 'Has a bug.' })
  nothing(_input: NoInput): Promise<PromptResult> {
    return Promise.resolve(undefined as unknown as PromptResult);
  }

  @UseGuards(TeamGuard)
  @Completion({ prompt: 'team_colour', argument: 'shade' })
  async shades(value: string, call: CompletionCall): Promise<string[]> {
    if (value === 'crash') throw new Error('password=hunter2');
    if (value === 'many') return Array.from({ length: 101 }, (_, index) => `shade ${index}`);
    return [`${call.arguments.colour ?? 'no'} ${value}`];
  }
}

describe('a prompt that a team adds', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [TeamPrompts] });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const get = (name: string, given?: object) =>
    ask<PromptResult>(acme, 'prompts/get', { name, arguments: given });
  const textOf = async (name: string, given?: object) =>
    (await get(name, given)).result!.messages[0]!.content.text;

  it('is listed with the arguments of its class', async () => {
    const { prompts } = await resultOf<{ prompts: object[] }>(acme, 'prompts/list');
    expect(prompts).toContainEqual({
      name: 'team_colour',
      title: 'Colour',
      description: 'Paints.',
      arguments: [
        { name: 'colour', description: 'A colour.', required: true },
        { name: 'shade', required: false },
        { name: 'resourceUri', required: false },
      ],
    });
    expect(prompts).toContainEqual({
      name: 'team_simple',
      title: 'Simple',
      description: 'Says something.',
      arguments: [],
    });
  });

  it('checks its arguments, and treats empty arguments as absent', async () => {
    expect(
      JSON.parse((await textOf('team_colour', { colour: 'red', shade: '' })) as string),
    ).toEqual({ colour: 'red', resourceUri: 'none' });
    expect((await get('team_colour', { colour: 'blue' })).error).toMatchObject({
      code: -32602,
      data: { details: [{ path: 'colour' }] },
    });
  });

  it('needs no arguments if its class has none', async () => {
    expect(await textOf('team_simple')).toBe('simple');
    expect((await get('team_simple', {})).result).toMatchObject({ description: 'It is simple.' });
  });

  it('is not called when its guard refuses', async () => {
    expect((await get('team_colour', { colour: 'green' })).error).toMatchObject({
      code: 1403,
      message:
        'You may not call this prompt. Ask an owner of your organization, or the team that provides it.',
    });
  });

  it('cannot write and cannot return undefined', async () => {
    for (const name of ['team_writes', 'team_nothing']) {
      expect((await get(name)).error).toMatchObject({ code: -32603 });
    }
  });

  it('can send an input request and continues with the response', async () => {
    const post = (params: object) => {
      const message = modernRequest('prompts/get', { name: 'team_asks', ...params });
      Object.assign((message.params as unknown as { _meta: object })._meta, {
        [CAPABILITIES_KEY]: { elicitation: {} },
      });
      return answerOf(acme.rpc(message, modernHeaders(message)));
    };
    const { result } = (await post({})).body as { result: { requestState: string } };
    expect(result).toMatchObject({ resultType: 'input_required' });
    const answered = await post({
      inputResponses: { person: { action: 'accept', content: { name: 'Ada' } } },
      requestState: result.requestState,
    });
    expect(answered.body).toMatchObject({
      result: { resultType: 'complete', messages: [{ content: { text: 'Ada' } }] },
    });
    const declined = await post({ inputResponses: { person: { action: 'decline' } } });
    expect(declined.body).toMatchObject({ error: { code: 1403 } });
  });

  const complete = (value: string, context?: object, argument = 'shade') =>
    ask<{ completion: { values: string[] } }>(acme, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'team_colour' },
      argument: { name: argument, value },
      ...(context && { context }),
    });

  it('suggests values that depend on the other arguments', async () => {
    const filled = { arguments: { colour: 'red' } };
    expect((await complete('da', filled)).result!.completion).toEqual({
      values: ['red da'],
      total: 1,
      hasMore: false,
    });
    expect((await complete('da')).result!.completion.values).toEqual(['no da']);
    expect((await complete('', undefined, 'colour')).result!.completion.values).toEqual([]);
  });

  it('returns at most 100 values and reports that there are more', async () => {
    const { completion } = (await complete('many')).result!;
    expect(completion).toEqual({ values: expect.any(Array) as [], hasMore: true });
    expect(completion.values).toHaveLength(100);
  });

  it('runs its guard before a completion, and hides the internal errors of a completion', async () => {
    expect((await complete('green')).error).toMatchObject({ code: 1403 });
    const { error } = await complete('crash');
    expect(error).toMatchObject({ code: -32603 });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });
});

describe('boot', () => {
  class NumberInput {
    @IsInt()
    count: number;
  }

  class UntellableInput {
    @ValidateIf(() => true)
    @IsString()
    text: string;
  }

  @Injectable()
  class Twin {
    @Prompt({ name: 'write_message', title: 'T', description: 'T.' })
    twin(_input: NoInput): Promise<PromptResult> {
      return Promise.resolve(says(''));
    }
  }

  @Injectable()
  class BadName {
    @Prompt({ name: 'Bad Name', title: 'T', description: 'T.' })
    bad(_input: NoInput): Promise<PromptResult> {
      return Promise.resolve(says(''));
    }
  }

  @Injectable()
  class Numbers {
    @Prompt({ name: 'numbers', title: 'T', description: 'T.' })
    count(_input: NumberInput): Promise<PromptResult> {
      return Promise.resolve(says(''));
    }
  }

  @Injectable()
  class Untellable {
    @Prompt({ name: 'untellable', title: 'T', description: 'T.' })
    untellable(_input: UntellableInput): Promise<PromptResult> {
      return Promise.resolve(says(''));
    }
  }

  @Injectable()
  class Needy {
    @Prompt({ name: 'needy', title: 'T', description: 'T.', needs: ['unheard_of'] })
    needy(_input: NoInput): Promise<PromptResult> {
      return Promise.resolve(says(''));
    }
  }

  @Injectable()
  class TwinCompletion {
    @Completion({ prompt: 'write_message', argument: 'contact' })
    twin(): Promise<string[]> {
      return Promise.resolve([]);
    }
  }

  @Injectable()
  class LostCompletion {
    @Completion({ prompt: 'unheard_of', argument: 'contact' })
    lost(): Promise<string[]> {
      return Promise.resolve([]);
    }
  }

  @Injectable()
  class LostVariable {
    @Completion({ resource: 'switchboard://contacts/{id}', argument: 'id' })
    lost(): Promise<string[]> {
      return Promise.resolve([]);
    }
  }

  @Injectable()
  class LostArgument {
    @Completion({ prompt: 'write_message', argument: 'gaol' })
    lost(): Promise<string[]> {
      return Promise.resolve([]);
    }
  }

  it.each([
    [Twin, /Two prompts are called write_message: .*MessagePrompts\.writeMessage.*/],
    [Twin, /Twin\.twin/],
    [BadName, /BadName\.bad: "Bad Name" is not a valid name for a prompt/],
    [Numbers, /Numbers\.count: NumberInput\.count: arguments of prompts are texts only/],
    [Untellable, /UntellableInput\.text: JSON Schema cannot express/],
    [Needy, /Needy\.needy: needs the tool unheard_of/],
    [TwinCompletion, /Two completions are called contact .*write_message: .*TwinCompletion\.twin/],
    [LostCompletion, /LostCompletion\.lost: the prompt unheard_of does not exist/],
    [LostVariable, /LostVariable\.lost: the resource switchboard/],
    [LostArgument, /LostArgument\.lost: prompt write_message has no argument gaol/],
  ])('stops at %o: %s', async (provider, message) => {
    await expect(startSwitchboard({ providers: [provider] })).rejects.toThrow(message);
  });
});
