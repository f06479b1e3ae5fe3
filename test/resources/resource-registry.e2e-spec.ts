import { type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Length } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { AppError } from '../../src/errors/app-error.js';
import { Resource } from '../../src/resources/resource.decorator.js';
import { askForm } from '../../src/tools/contract/input-request.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool, ToolContent } from '../../src/tools/contract/tool.decorator.js';
import { answerOf } from '../mcp/support/answer.js';
import { ask, resultOf } from '../mcp/support/ask.js';
import { CAPABILITIES_KEY, modernHeaders, modernRequest } from '../mcp/support/modern.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';

class NoInput {}

class NoteInput {
  @IsString()
  @Length(1, 20)
  note_id: string;

  @IsOptional()
  @IsInt()
  limit?: number;
}

class NameForm {
  @IsString()
  name: string;
}

@Injectable()
class DoorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [given] = context.getArgs<[{ note_id?: string }, ToolCall]>();
    return context.getType<string>() === 'resource' && given.note_id !== 'locked';
  }
}

@Injectable()
class TeamResources {
  constructor(private readonly tenants: TenantDatabase) {}

  @Resource({
    uri: 'team://static/text',
    name: 'team_text',
    title: 'Text',
    description: 'A text.',
    mimeType: 'text/plain',
    icons: [{ src: 'https://example.com/i.png' }],
  })
  text(_input: NoInput): Promise<string> {
    return Promise.resolve('größe');
  }

  @Resource({
    uri: 'team://static/bytes',
    name: 'team_bytes',
    title: 'Bytes',
    description: 'Some bytes.',
    mimeType: 'image/png',
  })
  bytes(_input: NoInput): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array([137, 80, 78, 71]));
  }

  @UseGuards(DoorGuard)
  @Resource({
    uri: 'team://notes/{note_id}/whole',
    name: 'team_note',
    title: 'Note',
    description: 'A note.',
  })
  note({ note_id: id }: NoteInput): Promise<object> {
    if (id === 'missing') throw AppError.notFound('note');
    if (id === 'busy') throw new AppError('conflict', 'It is being changed.');
    if (id === 'closed') throw new AppError('unavailable', 'Try later.');
    if (id === 'broken') throw new Error('password=hunter2');
    return Promise.resolve({ id });
  }

  @Resource({ uri: 'team://writes', name: 'team_writes', title: 'W', description: 'Writes.' })
  async writes(_input: NoInput, { organizationId }: ToolCall): Promise<object> {
    await this.tenants
      .session(organizationId)
      .query('update organizations set name = $1 where id = $2', ['taken', organizationId]);
    return {};
  }

  @Resource({ uri: 'team://asks', name: 'team_asks', title: 'A', description: 'Asks.' })
  async asks(_input: NoInput, call: ToolCall): Promise<object> {
    const { person } = await call.ask({ person: askForm('Who are you?', NameForm) });
    return { hello: person.name };
  }

  @Resource({ uri: 'team://nothing', name: 'team_nothing', title: 'N', description: 'A bug.' })
  nothing(_input: NoInput): Promise<object> {
    return Promise.resolve(undefined as unknown as object);
  }
}

/** A class that has the same name as a class of Switchboard, with a method of the same name. */
@Injectable()
class ContactTools {
  @Tool({ name: 'team_contact', title: 'T', description: 'T.', readOnly: true })
  @Resource({ uri: 'team://contact', name: 'team_contact', title: 'T', description: 'T.' })
  get(_input: NoInput): Promise<ToolContent> {
    return Promise.resolve(ToolContent.text('theirs'));
  }
}

describe('a resource that a team adds', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [TeamResources, ContactTools] });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const read = (uri: string) => ask<{ contents: object[] }>(acme, 'resources/read', { uri });

  it('is listed with all members of its decorator', async () => {
    const listed = async (protocol: '2025-06-18' | '2025-11-25') =>
      (await resultOf<{ resources: { name: string }[] }>(acme, 'resources/list', {}, protocol))
        .resources;
    const text = {
      uri: 'team://static/text',
      name: 'team_text',
      title: 'Text',
      description: 'A text.',
      mimeType: 'text/plain',
    };
    expect(await listed('2025-06-18')).toContainEqual(text);
    const icons = [{ src: 'https://example.com/i.png' }];
    expect(await listed('2025-11-25')).toContainEqual({ ...text, icons });
  });

  it('has the policies of its own tool, even if another class has the same name', async () => {
    const open = async (hidden: string): Promise<string[]> => {
      const careful = await createOrganization(switchboard);
      const decided = await careful.call('set_tool_policy', { tool: hidden, hidden: true });
      expect(decided.status).toBe(200);
      const uris = ['team://contact', 'switchboard://contacts/con_1'];
      const answers = uris.map(async (uri) => ask(careful, 'resources/read', { uri }));
      // A missing contact has the code of a missing resource, with a different message.
      return (await Promise.all(answers)).map(({ error }) => error?.message ?? 'read');
    };
    const missing = 'No contact has this id.';
    expect(await open('get_contact')).toEqual(['read', 'Unknown resource.']);
    expect(await open('team_contact')).toEqual(['Unknown resource.', missing]);
  });

  it('can be text, or bytes, or an object', async () => {
    expect((await read('team://static/text')).result!.contents).toEqual([
      { uri: 'team://static/text', mimeType: 'text/plain', text: 'größe' },
    ]);
    expect((await read('team://static/bytes')).result!.contents).toEqual([
      { uri: 'team://static/bytes', mimeType: 'image/png', blob: 'iVBORw==' },
    ]);
    expect((await read('team://notes/a%20b/whole')).result!.contents).toEqual([
      { uri: 'team://notes/a%20b/whole', mimeType: 'application/json', text: '{"id":"a b"}' },
    ]);
  });

  it.each([
    [
      'locked',
      1403,
      'You may not call this resource. Ask an owner of your organization, or the team that provides it.',
    ],
    ['missing', -32602, 'No note has this id.'],
    ['x'.repeat(21), -32602, 'Unknown resource.'],
    ['busy', 1409, 'It is being changed.'],
    ['closed', 1503, 'Try later.'],
    ['broken', -32603, 'Internal error'],
  ])('reports a failure with its code: %s', async (id, code, message) => {
    const { error } = await read(`team://notes/${id}/whole`);
    expect(error).toMatchObject({ code, message });
    expect(JSON.stringify(error)).not.toContain('hunter2');
    if (code === -32603) expect(error!.data).toEqual({ error_id: expect.any(String) });
  });

  it('cannot write and cannot return undefined', async () => {
    for (const uri of ['team://writes', 'team://nothing']) {
      expect((await read(uri)).error).toMatchObject({ code: -32603 });
    }
    const [row] = await switchboard.ownerQuery('select name from organizations where id = $1', [
      acme.id,
    ]);
    expect(row!.name).not.toBe('taken');
  });

  it('can send an input request and continues with the response', async () => {
    const post = (params: object, capabilities: object) => {
      const message = modernRequest('resources/read', { uri: 'team://asks', ...params });
      Object.assign((message.params as unknown as { _meta: object })._meta, {
        [CAPABILITIES_KEY]: capabilities,
      });
      return answerOf(acme.rpc(message, modernHeaders(message)));
    };
    const able = { elicitation: {} };
    const { result: question } = (await post({}, able)).body as {
      result: { resultType: string; requestState: string; inputRequests: object };
    };
    expect(question).toMatchObject({
      resultType: 'input_required',
      inputRequests: { person: { method: 'elicitation/create' } },
    });
    const answer = {
      inputResponses: { person: { action: 'accept', content: { name: 'Ada' } } },
      requestState: question.requestState,
    };
    expect((await post(answer, able)).body).toMatchObject({
      result: { resultType: 'complete', contents: [{ text: '{"hello":"Ada"}' }] },
    });
    const forged = { ...answer, requestState: `${answer.requestState}x` };
    expect((await post(forged, able)).body).toMatchObject({ error: { code: -32602 } });
    expect(await post({}, {})).toMatchObject({ status: 400, body: { error: { code: -32021 } } });
    // A client of MCP 2025-11-25 cannot receive input requests here, and gets an error.
    expect(
      (await ask(acme, 'resources/read', { uri: 'team://asks' }, '2025-11-25')).error,
    ).toMatchObject({ code: 1403 });
  });
});

describe('boot', () => {
  const describes = { title: 'T', description: 'D.' };

  @Injectable()
  class TwinName {
    @Resource({ uri: 'team://other', name: 'contacts', ...describes })
    twin(_input: NoInput): Promise<object> {
      return Promise.resolve({});
    }
  }

  @Injectable()
  class TwinUri {
    @Resource({ uri: 'switchboard://contacts/{note_id}', name: 'twin', ...describes })
    twin(_input: NoteInput): Promise<object> {
      return Promise.resolve({});
    }
  }

  @Injectable()
  class BadUri {
    @Resource({ uri: 'switchboard://{note_id}', name: 'bad', ...describes })
    bad(_input: NoteInput): Promise<object> {
      return Promise.resolve({});
    }
  }

  @Injectable()
  class UnknownVariable {
    @Resource({ uri: 'team://notes/{id}', name: 'bad', ...describes })
    bad(_input: NoteInput): Promise<object> {
      return Promise.resolve({});
    }
  }

  @Injectable()
  class NumberVariable {
    @Resource({ uri: 'team://notes/{note_id}/{limit}', name: 'bad', ...describes })
    bad(_input: NoteInput): Promise<object> {
      return Promise.resolve({});
    }
  }

  @Injectable()
  class MissingVariable {
    @Resource({ uri: 'team://notes', name: 'bad', ...describes })
    bad(_input: NoteInput): Promise<object> {
      return Promise.resolve({});
    }
  }

  @Injectable()
  class NoClass {
    @Resource({ uri: 'team://notes', name: 'bad', ...describes })
    bad(_input: { id: string }): Promise<object> {
      return Promise.resolve({});
    }
  }

  it.each([
    [TwinName, /Two resources are called contacts: .*(ContactTools\.search|TwinName\.twin)/],
    [TwinUri, /Two resources are called switchboard:\/\/contacts\/\{\}: .* and .*/],
    [BadUri, /BadUri\.bad: "switchboard:\/\/\{note_id\}" is not a URI for a resource/],
    [UnknownVariable, /UnknownVariable\.bad: \{id\} .* must be a text field of NoteInput/],
    [NumberVariable, /NumberVariable\.bad: \{limit\} .* must be a text field of NoteInput/],
    [MissingVariable, /MissingVariable\.bad: NoteInput\.note_id is required/],
    [NoClass, /NoClass\.bad: its first parameter must be a class/],
  ])('stops at %o', async (provider, message) => {
    await expect(startSwitchboard({ providers: [provider] })).rejects.toThrow(message);
  });
});
