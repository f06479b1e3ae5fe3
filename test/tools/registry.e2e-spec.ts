import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Provider,
  Scope,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { IsInt, IsOptional, IsString, Length, ValidateIf } from 'class-validator';
import { map, type Observable } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { allowRenaming } from '../support/extra-grants.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';

class EchoInput {
  @IsString()
  @Length(1, 20)
  text: string;

  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}

class EchoOutput {
  @IsString()
  text: string;

  @IsInt()
  count: number;
}

@Injectable()
class Journal {
  readonly lines: string[] = [];
}

@Injectable()
class TeamGuard implements CanActivate {
  constructor(private readonly journal: Journal) {}

  canActivate(context: ExecutionContext): boolean {
    const [given, call] = context.getArgs<[{ text?: string }, ToolCall]>();
    this.journal.lines.push(
      `guard ${context.getType()} ${context.getHandler().name} ${call.organizationId}`,
    );
    return given.text !== 'forbidden';
  }
}

@Injectable()
class ShoutInterceptor implements NestInterceptor {
  constructor(private readonly journal: Journal) {}

  intercept(_context: ExecutionContext, next: CallHandler<EchoOutput>): Observable<EchoOutput> {
    this.journal.lines.push('interceptor');
    return next.handle().pipe(map((output) => ({ ...output, text: output.text.toUpperCase() })));
  }
}

@Injectable()
class TeamTools {
  private count = 0;

  constructor(
    private readonly journal: Journal,
    private readonly tenants: TenantDatabase,
  ) {}

  @UseGuards(TeamGuard)
  @UseInterceptors(ShoutInterceptor)
  @Tool({ name: 'team_echo', title: 'Echo', description: 'Says it again.', output: EchoOutput })
  async echo(input: EchoInput): Promise<EchoOutput> {
    this.journal.lines.push('method');
    this.count += 1;
    return { text: input.text, count: this.count };
  }

  @Tool({
    name: 'team_sneaky',
    title: 'Sneaky',
    description: 'Says that it reads, and writes.',
    output: EchoOutput,
    readOnly: true,
  })
  async sneaky(input: EchoInput, call: ToolCall): Promise<EchoOutput> {
    await this.tenants
      .session(call.organizationId)
      .query('update organizations set name = $1 where id = $2', [input.text, call.organizationId]);
    return { text: 'written', count: 0 };
  }

  @Tool({ name: 'team_crash', title: 'Crash', description: 'Breaks.', output: EchoOutput })
  async crash(_input: EchoInput): Promise<EchoOutput> {
    throw new Error('password=hunter2 at /srv/secret.ts');
  }

  @Tool({
    name: 'team_agents_only',
    title: 'Agents only',
    description: 'Not for people.',
    output: EchoOutput,
    surfaces: ['agent'],
  })
  async agentsOnly(input: EchoInput): Promise<EchoOutput> {
    return { text: input.text, count: 0 };
  }
}

describe('a tool that a team adds', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let journal: Journal;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [TeamTools, Journal] });
    await allowRenaming(switchboard);
    journal = switchboard.app.get(Journal);
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
    journal.lines.length = 0;
  });
  afterAll(() => switchboard.close());

  it('runs its guards, then its interceptors, then validation, then its method', async () => {
    const { value } = await acme.call<EchoOutput>('team_echo', { text: 'hello' });
    expect(value.text).toBe('HELLO');
    expect(journal.lines).toEqual([`guard tool echo ${acme.id}`, 'interceptor', 'method']);
  });

  it('is not called when its guard refuses', async () => {
    const { status, error } = await acme.call('team_echo', { text: 'forbidden' });
    expect(status).toBe(403);
    expect(error).toMatchObject({ code: 'forbidden' });
    expect(journal.lines).not.toContain('method');
  });

  it('is not called with invalid arguments', async () => {
    const { status, error } = await acme.call('team_echo', { text: '', txt: 'x' });
    expect(status).toBe(422);
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(error!.details!.map((fault) => fault.path)).toContain('txt');
    expect(journal.lines).not.toContain('method');
  });

  it('is listed for people unless its surfaces exclude them', async () => {
    const { tools } = (await (await acme.fetch('/api/tools')).json()) as {
      tools: { name: string; inputSchema: object; annotations: object }[];
    };
    const names = tools.map((tool) => tool.name);
    expect(names).toContain('team_echo');
    expect(names).not.toContain('team_agents_only');
    expect([...names].sort()).toEqual(names);
    expect(tools.find((tool) => tool.name === 'team_echo')!.inputSchema).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 20 },
        idempotency_key: { type: 'string', minLength: 1, maxLength: 255 },
      },
      required: ['text'],
      additionalProperties: false,
    });
    expect((await acme.call('team_agents_only', { text: 'x' })).status).toBe(404);
  });

  it('cannot write when it is declared read-only', async () => {
    const { text } = await (
      await acme.fetch('/api/tools/team_sneaky', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"text":"taken"}',
      })
    )
      .json()
      .then((body) => ({ text: JSON.stringify(body) }));
    expect(text).toContain('"internal"');
    const [row] = await switchboard.ownerQuery('select name from organizations where id = $1', [
      acme.id,
    ]);
    expect(row!.name).not.toBe('taken');
  });

  it('does not show the cause of an internal error', async () => {
    const response = await acme.fetch('/api/tools/team_crash', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"text":"x"}',
    });
    expect(response.status).toBe(500);
    const problem = await response.text();
    expect(problem).not.toMatch(/hunter2|secret\.ts/);
    expect(JSON.parse(problem)).toMatchObject({ code: 'internal', error_id: expect.any(String) });
  });

  it('is suggested when its name is misspelled', async () => {
    const { status, error } = await acme.call('team_eco', { text: 'x' });
    expect(status).toBe(404);
    expect(error!.message).toContain('team_echo');
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await acme.call(name, {})).status).toBe(404);
    }
  });

  it('runs once for ten concurrent calls with one idempotency key', async () => {
    const given = { text: 'once', idempotency_key: 'k1' };
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => acme.call<EchoOutput>('team_echo', given)),
    );
    expect(journal.lines.filter((line) => line === 'method')).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome.value))).size).toBe(1);
    const other = await acme.call('team_echo', { text: 'twice', idempotency_key: 'k1' });
    expect(other.error).toMatchObject({ code: 'idempotency_mismatch' });
    const globex = await createOrganization(switchboard);
    const elsewhere = await globex.call<EchoOutput>('team_echo', given);
    expect(elsewhere.value.count).not.toBe(outcomes[0]!.value.count);
  });

  it('writes an audit row in its transaction, but not when the call fails', async () => {
    await acme.call('team_echo', { text: 'x' });
    await acme.call('team_echo', { text: '' });
    await acme.fetch('/api/tools/team_crash', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"text":"x"}',
    });
    const rows = await switchboard.ownerQuery(
      `select actor_kind, actor_id, action from audit_log where organization_id = $1 and action like 'team_%' and outcome = 'ok'`,
      [acme.id],
    );
    expect(rows).toEqual([{ actor_kind: 'user', actor_id: acme.userId, action: 'team_echo' }]);
  });
});

describe('a tool of a Nest provider that its module does not list as a class', () => {
  /** Returns a class with a tool of this name. */
  const toolsNamed = (name: string) => {
    @Injectable()
    class PlainTools {
      constructor(readonly text: string) {}

      @Tool({ name, title: 'Echo', description: 'Repeats.', output: EchoOutput })
      async echo(_input: EchoInput): Promise<EchoOutput> {
        return { text: this.text, count: 1 };
      }
    }
    return PlainTools;
  };
  const make = (name: string) => new (toolsNamed(name))('made');
  const ValueTools = toolsNamed('plain_value');
  class InstanceGuardedTools {
    @UseGuards({ canActivate: () => false })
    @Tool({ name: 'plain_guarded', title: 'G', description: 'G.', output: EchoOutput })
    async echo(_input: EchoInput): Promise<EchoOutput> {
      return { text: '', count: 1 };
    }
  }
  const providers: Provider[] = [
    { provide: 'made', useFactory: () => make('plain_factory') },
    { provide: 'promised', useFactory: async () => make('plain_promise') },
    { provide: ValueTools, useValue: new ValueTools('made') },
    { provide: 'plain', useValue: make('plain_existing') },
    { provide: 'alias', useExisting: 'plain' },
    { provide: 'guarded', useValue: new InstanceGuardedTools() },
  ];
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it.each([
    ['useFactory', 'plain_factory'],
    ['a factory that returns a promise', 'plain_promise'],
    ['useValue', 'plain_value'],
    ['useExisting beside useValue, once', 'plain_existing'],
  ])('is found when it comes from %s', async (_case, tool) => {
    const { value } = await acme.call<EchoOutput>(tool, { text: 'x' });
    expect(value).toEqual({ text: 'made', count: 1 });
  });

  it('runs guards that are instances', async () => {
    expect((await acme.call('plain_guarded', { text: 'x' })).error?.code).toBe('forbidden');
  });

  itSlow(
    'stops the boot when one of its guards is a class, because Nest would not create an instance of this class',
    async () => {
      class GuardedTools {
        @UseGuards(TeamGuard)
        @Tool({ name: 'plain_guarded', title: 'G', description: 'G.', output: EchoOutput })
        async echo(_input: EchoInput): Promise<EchoOutput> {
          return { text: '', count: 1 };
        }
      }
      const providers = [Journal, { provide: 'guarded', useFactory: () => new GuardedTools() }];
      await expect(startSwitchboard({ providers })).rejects.toThrow(
        /GuardedTools\.echo: Nest creates guards and interceptors \(TeamGuard\) only .* List GuardedTools itself/,
      );
    },
  );

  itSlow('stops the boot when its factory is request-scoped', async () => {
    const PlainTools = toolsNamed('plain_scoped');
    const provider = {
      provide: PlainTools,
      scope: Scope.REQUEST,
      useFactory: () => new PlainTools('made'),
    };
    await expect(startSwitchboard({ providers: [provider] })).rejects.toThrow(
      /PlainTools\.echo: a request-scoped provider cannot answer callers/,
    );
  });
});

describe('boot', () => {
  @Injectable()
  class TwinTools {
    @Tool({ name: 'search_contacts', title: 'Twin', description: 'A twin.', output: EchoOutput })
    async twin(_input: EchoInput): Promise<EchoOutput> {
      return { text: '', count: 0 };
    }
  }

  class UntellableInput {
    @ValidateIf(() => true)
    @IsString()
    text: string;
  }

  @Injectable()
  class UntellableTools {
    @Tool({ name: 'untellable', title: 'U', description: 'U.', output: EchoOutput })
    async untellable(_input: UntellableInput): Promise<EchoOutput> {
      return { text: '', count: 0 };
    }
  }

  @Injectable()
  class BadNameTools {
    @Tool({ name: 'Bad Name', title: 'B', description: 'B.', output: EchoOutput })
    async bad(_input: EchoInput): Promise<EchoOutput> {
      return { text: '', count: 0 };
    }
  }

  it.each(
    sample(
      [
        [TwinTools, /Two tools are called search_contacts/],
        [UntellableTools, /UntellableInput\.text: JSON Schema cannot express/],
        [BadNameTools, /BadNameTools\.bad: "Bad Name" is not a valid name for a tool/],
      ],
      2,
    ),
  )('stops at %o', async (provider, message) => {
    await expect(startSwitchboard({ providers: [provider] })).rejects.toThrow(message);
  });
});

describe('POST /api/tools/:name', () => {
  it('refuses a caller without a session before it reads the body', async () => {
    const { url } = await sharedSwitchboard();
    const response = await fetch(`${url}/api/tools/create_contact`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: 'not even JSON',
    });
    // 415 would mean that the body was read.
    expect(response.status).toBe(401);
  });
});
