import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Injectable,
  Module,
  type NestInterceptor,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { IsOptional, IsString, Length } from 'class-validator';
import { map, type Observable } from 'rxjs';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { AppError } from '../../src/errors/app-error.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const FORBIDDEN =
  'You may not call this tool. Ask an owner of your organization, or the team that provides it.';

const REFUSALS: Record<string, () => Error> = {
  forbidden: () => new ForbiddenException('secret detail'),
  unauthorized: () => new UnauthorizedException('secret detail'),
  slow: () => new HttpException('secret detail', 429),
  odd: () => new HttpException('secret detail', 418),
  conflict: () => new AppError('conflict', 'The vault is being counted.'),
  broken: () => new Error('secret detail'),
};

class OpenInput {
  @IsString()
  @Length(1, 20)
  word: string;

  @IsOptional()
  @IsString()
  note?: string;
}

class OpenResult {
  @IsString()
  inside: string;
}

/** A journal that only the module of the vault provides. So a guard can get this journal only from that module. */
@Injectable()
class Journal {
  readonly lines: string[] = [];
}

@Injectable()
class VaultGuard implements CanActivate {
  constructor(
    private readonly journal: Journal,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const [given, call] = context.getArgs<[{ word?: string }, ToolCall]>();
    const level = this.reflector.get<string>('level', context.getHandler());
    const name = `${context.getClass().name}.${context.getHandler().name}`;
    this.journal.lines.push(`class guard: ${level} ${name} for ${call.surface}`);
    const refusal = REFUSALS[given.word ?? ''];
    if (refusal) throw refusal();
    return true;
  }
}

@Injectable()
class DoorGuard implements CanActivate {
  constructor(private readonly journal: Journal) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    this.journal.lines.push('method guard');
    const [given] = context.getArgs<[{ word?: string }]>();
    return given.word !== 'closed';
  }
}

@Injectable()
class OuterInterceptor implements NestInterceptor {
  constructor(private readonly journal: Journal) {}

  intercept(_context: ExecutionContext, next: CallHandler<OpenResult>): Observable<OpenResult> {
    this.journal.lines.push('class interceptor');
    return next.handle().pipe(map(({ inside }) => ({ inside: `<${inside}>` })));
  }
}

@Injectable()
class InnerInterceptor implements NestInterceptor {
  constructor(private readonly journal: Journal) {}

  intercept(_context: ExecutionContext, next: CallHandler<OpenResult>): Observable<OpenResult> {
    this.journal.lines.push('method interceptor');
    return next.handle().pipe(map(({ inside }) => ({ inside: inside.toUpperCase() })));
  }
}

@Injectable()
@UseGuards(VaultGuard)
@UseInterceptors(OuterInterceptor)
class VaultTools {
  constructor(private readonly journal: Journal) {}

  @SetMetadata('level', 'top')
  @UseGuards(DoorGuard)
  @UseInterceptors(InnerInterceptor)
  @Tool({ name: 'vault_open', title: 'Open', description: 'Opens.', output: OpenResult })
  async open(_input: OpenInput): Promise<OpenResult> {
    this.journal.lines.push('method');
    return { inside: 'gold' };
  }
}

@Module({ providers: [VaultTools, Journal] })
class VaultModule {}

@Entity('strangers')
class Stranger {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;
}

let switchboard: Switchboard;
let acme: TestOrganization;
let journal: Journal;

beforeAll(async () => {
  switchboard = await startSwitchboard({ modules: [VaultModule] });
  journal = switchboard.app.select(VaultModule).get(Journal);
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  journal.lines.length = 0;
});
afterAll(() => switchboard.close());

const ALL = (surface: string): string[] => [
  `class guard: top VaultTools.open for ${surface}`,
  'method guard',
  'class interceptor',
  'method interceptor',
  'method',
];

describe('guards and interceptors on the class and the method of a tool', () => {
  it('run around the call of a person, with the providers of their module', async () => {
    const { value } = await acme.call<OpenResult>('vault_open', { word: 'please' });
    expect(value).toEqual({ inside: '<GOLD>' });
    expect(journal.lines).toEqual(ALL('dashboard'));
  });

  it('run around a call of an agent', async () => {
    expect(await callAsAgent('please')).toEqual({ inside: '<GOLD>' });
    expect(journal.lines).toEqual(ALL('agent'));
  });

  it('run around a step of a workflow', async () => {
    const run = await runStep('please');
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ output: { inside: '<GOLD>' } }] });
    expect(journal.lines).toEqual(ALL('workflow'));
  });

  it.each([
    ['closed', 'forbidden', FORBIDDEN],
    ['forbidden', 'forbidden', FORBIDDEN],
    ['unauthorized', 'forbidden', FORBIDDEN],
    ['slow', 'rate_limited', 'Too many calls. Try again later.'],
    [
      'odd',
      'invalid_arguments',
      'This tool refused the call with HTTP status 418. Ask the team that provides it what a call must contain.',
    ],
    ['conflict', 'conflict', 'The vault is being counted.'],
  ])('refuse people and agents with the same error: %s', async (word, code, message) => {
    const person = await acme.call('vault_open', { word });
    expect(person.error).toMatchObject({ code, message });
    expect(await callAsAgent(word)).toEqual({ error: { code, message } });
    expect(journal.lines).not.toContain('method');
  });

  it('fail the run if they refuse its step', async () => {
    const run = await runStep('forbidden');
    expect(run).toMatchObject({
      status: 'failed',
      steps: [{ error: { code: 'forbidden', message: FORBIDDEN } }],
    });
    expect(journal.lines).not.toContain('method');
  });

  it('do not show their internal errors to callers', async () => {
    expect(await callAsAgent('broken')).toMatchObject({ error: { code: 'internal' } });
    expect(JSON.stringify(await callAsAgent('broken'))).not.toContain('secret detail');
    const response = await acme.fetch('/api/tools/vault_open', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ word: 'broken' }),
    });
    expect(await response.json()).toMatchObject({ code: 'internal', detail: 'Internal error.' });
  });

  it('run before validation, even with invalid arguments', async () => {
    const { error } = await acme.call('vault_open', { word: '' });
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(journal.lines).toEqual(ALL('dashboard').slice(0, -1));
  });
});

describe('a guard and an interceptor of the whole application', () => {
  class OpenTools {
    @Tool({ name: 'open', title: 'Open', description: 'Opens.', output: OpenResult })
    async open({ word }: OpenInput): Promise<OpenResult> {
      return { inside: word };
    }
  }

  @Injectable()
  class SilenceGuard implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      if (context.getType<string>() !== 'tool') return true;
      return context.getArgs<[{ word: string }]>()[0].word !== 'silence';
    }
  }

  @Injectable()
  class ShoutInterceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler<OpenResult>): Observable<OpenResult> {
      if (context.getType<string>() !== 'tool') return next.handle();
      return next.handle().pipe(map(({ inside }) => ({ inside: `${inside}!` })));
    }
  }

  it.each([
    ['guard', { provide: APP_GUARD, useClass: SilenceGuard }, 'gold'],
    ['interceptor', { provide: APP_INTERCEPTOR, useClass: ShoutInterceptor }, 'gold!'],
  ])('runs around every tool: the %s', async (kind, provider, inside) => {
    const guarded = await startSwitchboard({ providers: [OpenTools, provider] });
    try {
      const organization = await createOrganization(guarded);
      const { value } = await organization.call<OpenResult>('open', { word: 'gold' });
      expect(value).toEqual({ inside });
      const { error } = await organization.call<OpenResult>('open', { word: 'silence' });
      expect(error?.code).toBe(kind === 'guard' ? 'forbidden' : undefined);
    } finally {
      await guarded.close();
    }
  });
});

describe('one guard or interceptor alone', () => {
  @Injectable()
  class NobodyGuard implements CanActivate {
    canActivate(): boolean {
      return false;
    }
  }

  @Injectable()
  class NobodyInterceptor implements NestInterceptor {
    intercept(): Observable<never> {
      throw new ForbiddenException();
    }
  }

  @UseGuards(NobodyGuard)
  class ClassGuardTools {
    @Tool({ name: 'class_guard', title: 'T', description: 'T.', output: OpenResult })
    async run({ word }: OpenInput): Promise<OpenResult> {
      return { inside: word };
    }
  }

  class MethodGuardTools {
    @UseGuards(NobodyGuard)
    @Tool({ name: 'method_guard', title: 'T', description: 'T.', output: OpenResult })
    async run({ word }: OpenInput): Promise<OpenResult> {
      return { inside: word };
    }
  }

  @UseInterceptors(NobodyInterceptor)
  class ClassInterceptorTools {
    @Tool({ name: 'class_interceptor', title: 'T', description: 'T.', output: OpenResult })
    async run({ word }: OpenInput): Promise<OpenResult> {
      return { inside: word };
    }
  }

  class MethodInterceptorTools {
    @UseInterceptors(NobodyInterceptor)
    @Tool({ name: 'method_interceptor', title: 'T', description: 'T.', output: OpenResult })
    async run({ word }: OpenInput): Promise<OpenResult> {
      return { inside: word };
    }
  }

  class HeirTools extends ClassGuardTools {
    @Tool({ name: 'inherited_guard', title: 'T', description: 'T.', output: OpenResult })
    override async run({ word }: OpenInput): Promise<OpenResult> {
      return { inside: word };
    }
  }

  it('runs around its tool', async () => {
    const providers = [
      ClassGuardTools,
      MethodGuardTools,
      ClassInterceptorTools,
      MethodInterceptorTools,
      HeirTools,
    ];
    const guarded = await startSwitchboard({ providers });
    try {
      const organization = await createOrganization(guarded);
      for (const tool of [
        'class_guard',
        'method_guard',
        'class_interceptor',
        'method_interceptor',
        'inherited_guard',
      ]) {
        const { error } = await organization.call(tool, { word: 'gold' });
        expect([tool, error?.code]).toEqual([tool, 'forbidden']);
      }
    } finally {
      await guarded.close();
    }
  });
});

describe('a common mistake in a module', () => {
  @Module({ providers: [VaultTools, Journal] })
  class SecondVaultModule {}

  it('stops the boot with an error that says what to do: a provider in two modules', async () => {
    await expect(startSwitchboard({ modules: [VaultModule, SecondVaultModule] })).rejects.toThrow(
      'The tool vault_open is registered twice: list VaultTools under providers of one module only.',
    );
  });

  it('stops the boot with an error that says what to do: an input class imported as a type', async () => {
    @Injectable()
    class TypeOnlyTools {
      @Tool({ name: 'type_only', title: 'T', description: 'T.', output: OpenResult })
      async run(_input: { word: string }): Promise<OpenResult> {
        return { inside: '' };
      }
    }
    await expect(startSwitchboard({ providers: [TypeOnlyTools] })).rejects.toThrow(
      /TypeOnlyTools\.run: its first parameter must be a class.*use `import`/,
    );
  });

  it('stops the boot with an error that says what to do: an entity that is not listed', async () => {
    const tenants = switchboard.app.get(TenantDatabase);
    await expect(
      tenants.transaction(acme.id, () => tenants.session(acme.id).repository(Stranger).find()),
    ).rejects.toThrow(
      'No metadata for "Stranger" was found. List this entity under `entities` where Switchboard is started.',
    );
  });
});

async function callAsAgent(word: string): Promise<unknown> {
  const response = await acme.rpc({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'vault_open', arguments: { word } },
  });
  const { result } = (await response.json()) as { result: { content: [{ text: string }] } };
  return JSON.parse(result.content[0].text);
}

async function runStep(word: string): Promise<{ status: string; steps: object[] }> {
  const created = await acme.call<{ workflow: { id: string } }>('create_workflow', {
    name: 'Vault',
    active: true,
    trigger: { type: 'manual' },
    steps: [{ id: 'open', tool: 'vault_open', arguments: { word } }],
  });
  const workflow_id = created.value.workflow.id;
  const { value } = await acme.call<{ run_id: string }>('trigger_workflow', { workflow_id });
  return await waitFor(async () => {
    const { run } = (
      await acme.call<{ run: { status: string; steps: object[] } }>('get_run', {
        run_id: value.run_id,
      })
    ).value;
    return ['succeeded', 'failed'].includes(run.status) ? run : undefined;
  });
}
