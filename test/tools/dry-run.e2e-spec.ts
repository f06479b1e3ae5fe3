import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { IsBoolean, IsOptional, IsString } from 'class-validator';
import { Client } from 'pg';
import type { Observable } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../../src/changes/change-feed.js';
import { channelName } from '../../src/database/notifications/channel-name.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { ToolRegistry } from '../../src/tools/registry/tool-registry.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { dumpOrganization } from '../database/dump-organization.js';
import { listOutbox, untilStatus } from '../messaging/support.js';
import {
  effectsBetween,
  readRows,
  type TestEffect,
  withoutNewIds,
} from '../support/organization-rows.js';
import { allowRenaming } from '../support/extra-grants.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { OutputSchemas } from '../support/output-schemas.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { CHANGING_TOOLS } from '../support/tool-examples.js';
import { waitFor } from '../support/wait-for.js';

interface DryRun<Result = Record<string, unknown>> {
  status: number;
  text: string;
  body: { dry_run: true; result: Result; effects: TestEffect[]; truncated?: true; code?: string };
}

class TeamInput {
  @IsString()
  text: string;
}

class TeamOutput {
  @IsBoolean()
  tried: boolean;
}

@Injectable()
class Journal {
  readonly lines: string[] = [];
}

@Injectable()
class TeamGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.getArgs<[{ text?: string }]>()[0].text !== 'forbidden';
  }
}

/** Writes a row in its own transaction before the transaction of the tool. */
@Injectable()
class NotingInterceptor implements NestInterceptor {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { organizationId } = context.getArgs<[object, ToolCall]>()[1];
    await this.tenants.transaction(organizationId, () => rename(this.tenants, organizationId));
    this.changes.publish(organizationId, { kind: 'resource', uri: 'team://renamed' });
    return next.handle();
  }
}

@Injectable()
class TeamTools {
  constructor(
    private readonly journal: Journal,
    private readonly tenants: TenantDatabase,
  ) {}

  @UseGuards(TeamGuard)
  @UseInterceptors(NotingInterceptor)
  @Tool({ name: 'team_note', title: 'N', description: 'Notes.', output: TeamOutput })
  async note(_input: TeamInput, call: ToolCall): Promise<TeamOutput> {
    this.tenants.afterCommit(() => this.journal.lines.push('committed'));
    return { tried: call.dryRun ?? false };
  }

  @Tool({ name: 'team_send', title: 'S', description: 'S.', output: TeamOutput, external: true })
  async send(_input: TeamInput): Promise<TeamOutput> {
    this.journal.lines.push('sent');
    return { tried: false };
  }

  @Tool({ name: 'team_sneaky', title: 'S', description: 'S.', output: TeamOutput, readOnly: true })
  async sneaky(_input: TeamInput, { organizationId }: ToolCall): Promise<TeamOutput> {
    await rename(this.tenants, organizationId);
    return { tried: false };
  }

  @Tool({ name: 'team_escape', title: 'E', description: 'E.', output: TeamOutput })
  async escape(_input: TeamInput, { organizationId }: ToolCall): Promise<TeamOutput> {
    await this.tenants.outside(() =>
      this.tenants.transaction(organizationId, () => rename(this.tenants, organizationId)),
    );
    return { tried: true };
  }

  @Tool({ name: 'team_break', title: 'B', description: 'B.', output: TeamOutput })
  async break(_input: TeamInput, { organizationId }: ToolCall): Promise<TeamOutput> {
    await rename(this.tenants, organizationId);
    await this.tenants.session(organizationId).query('select 1 / 0');
    return { tried: true };
  }
}

async function rename(tenants: TenantDatabase, organizationId: string): Promise<void> {
  const text = 'update organizations set name = $1 where id = $2';
  await tenants.session(organizationId).query(text, ['Renamed', organizationId]);
}

let switchboard: Switchboard;
let journal: Journal;
let acme: TestOrganization;

// There is no worker, so rows stay as the calls wrote them. There is no Redis, so the test can listen to the wake-ups.
beforeAll(async () => {
  switchboard = await startSwitchboard({
    env: { ROLE: 'web', REDIS_URL: '' },
    providers: [TeamTools, Journal],
  });
  await allowRenaming(switchboard);
  journal = switchboard.app.get(Journal);
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  journal.lines.length = 0;
});
afterAll(() => switchboard.close());

async function tryOut<Result>(
  organization: TestOrganization,
  tool: string,
  given: object,
): Promise<DryRun<Result>> {
  const response = await organization.fetch(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as never };
}

/** Makes a dry run of the call, and checks that it leaves no row behind. */
async function tryWithoutTrace<Result>(tool: string, given: object): Promise<DryRun<Result>> {
  const before = await dumpOrganization(switchboard, acme.id);
  const tried = await tryOut<Result>(acme, tool, { ...given, dry_run: true });
  expect(await dumpOrganization(switchboard, acme.id), tool).toEqual(before);
  return tried;
}

describe('a dry run of every tool', () => {
  it('leaves no row behind and reports the effects that the real call then has', async () => {
    const { tools } = (await (await acme.fetch('/api/tools')).json()) as {
      tools: { name: string; outputSchema: object; annotations: { readOnlyHint: boolean } }[];
    };
    const schemas = new OutputSchemas(tools);
    const changing = tools.filter(({ annotations }) => !annotations.readOnlyHint);
    // These tools call other systems, so they have no dry run.
    const without = ['send_template_test', 'test_channel_provider', 'verify_sender_domain'];
    const builtIn = changing
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('team_') && !without.includes(name));
    // Every new tool needs an example here.
    expect(Object.keys(CHANGING_TOOLS).sort()).toEqual(builtIn);
    for (const tool of sample(builtIn, 3)) {
      const given = await CHANGING_TOOLS[tool]!(acme, switchboard);
      const tried = await tryWithoutTrace<object>(tool, given);
      expect(tried.status, `${tool}: ${tried.text}`).toBe(200);
      schemas.check(tool, tried.body.result);
      const before = await readRows(switchboard, acme.id);
      const { value, error } = await acme.call<Record<string, unknown>>(tool, given);
      expect(error, tool).toBeUndefined();
      const done = effectsBetween(before, await readRows(switchboard, acme.id));
      expect(done, tool).not.toEqual([]);
      expect(withoutNewIds(tried.body.effects, before), tool).toEqual(withoutNewIds(done, before));
      expect(Object.keys(tried.body.result), tool).toEqual(Object.keys(value));
      expect(Object.keys(tried.body), tool).toEqual(['dry_run', 'result', 'effects']);
    }
  });

  it('reports effects without the values of rows', async () => {
    const tried = await tryWithoutTrace('create_workflow', {
      name: 'Find',
      trigger: { type: 'webhook', secret: 'a secret of sixteen or more' },
      steps: [],
    });
    expect(tried.body.effects).toHaveLength(2);
    expect(JSON.stringify(tried.body.effects)).not.toContain('secret');
  });

  it('reads as usual and reports no effects for a tool that only reads', async () => {
    await acme.call('create_contact', { email: 'known@example.com' });
    const { body } = await tryWithoutTrace<{ contacts: { email: string }[] }>(
      'search_contacts',
      {},
    );
    expect(body.result.contacts.map(({ email }) => email)).toEqual(['known@example.com']);
    expect(body.effects).toEqual([]);
  });
});

describe('a dry run', () => {
  it('wakes no worker', async () => {
    const listener = new Client({ connectionString: switchboard.databaseUrl });
    const told: string[] = [];
    listener.on('notification', ({ payload }) => told.push(payload!));
    await listener.connect();
    try {
      for (const channel of ['switchboard_wake_up', 'switchboard_changes'] as const) {
        await listener.query(`listen ${channelName(channel, switchboard.access.contextKey)}`);
      }
      const given = await CHANGING_TOOLS.trigger_workflow!(acme, switchboard);
      const message = await CHANGING_TOOLS.send_message!(acme, switchboard);
      const canceled = await CHANGING_TOOLS.cancel_run!(acme, switchboard);
      /** Starts a run, and returns all notifications until its wake-up and its change have arrived. */
      const untilRealRun = async (): Promise<string[]> => {
        const { value } = await acme.call<{ run_id: string }>('trigger_workflow', given);
        const own = [
          `run@${acme.id} ${value.run_id}`,
          `${acme.id} resource switchboard://runs/${value.run_id}`,
        ];
        await waitFor(() => own.every((text) => told.includes(text)));
        return told.splice(0).filter((text) => !own.includes(text));
      };
      expect(await untilRealRun()).not.toEqual([]);
      await tryWithoutTrace('trigger_workflow', given);
      await tryWithoutTrace('send_message', message);
      await tryWithoutTrace('cancel_run', canceled);
      await tryWithoutTrace('create_contact', { email: 'new@example.com' });
      await tryWithoutTrace('team_note', { text: 'x' });
      expect(await untilRealRun()).toEqual([]);
    } finally {
      await listener.end();
    }
  });

  it('reports the same error as the real call, and stores no row', async () => {
    const email = 'taken@example.com';
    await acme.call('create_contact', { email });
    const other = await createOrganization(switchboard);
    const { value } = await other.call<{ contact: { id: string } }>('create_contact', { email });
    const cases: [string, object][] = [
      ['create_contact', {}],
      ['create_contact', { email: 'not one', txt: 1 }],
      ['create_contact', { email }],
      ['update_contact', { contact_id: value.contact.id, first_name: 'X' }],
      ['delete_contact', { contact_id: 'con_none' }],
      ['trigger_workflow', { workflow_id: 'x'.repeat(32) }],
      ['team_note', { text: 'forbidden' }],
      ['get_contact', { contact_id: value.contact.id }],
      ['serch_contacts', {}],
    ];
    for (const [tool, given] of cases) {
      const tried = await tryWithoutTrace(tool, given);
      const real = await tryOut(acme, tool, given);
      expect(tried.status, tool).toBeGreaterThanOrEqual(400);
      expect([tried.status, tried.text], tool).toEqual([real.status, real.text]);
    }
  });

  it('rolls back rows that interceptors write in their own transactions', async () => {
    const { body } = await tryWithoutTrace('team_note', { text: 'x' });
    expect(body.result).toEqual({ tried: true });
    expect(body.effects).toEqual([
      { action: 'update', table: 'organizations', id: acme.id, changed: ['name'] },
    ]);
    expect(journal.lines).toEqual([]);
    const real = await tryOut(acme, 'team_note', { text: 'x' });
    expect(real.body).toEqual({ tried: false });
    expect(journal.lines).toEqual(['committed']);
  });

  it('rolls back a transaction that the tool opens itself', async () => {
    const { body } = await tryWithoutTrace('team_escape', { text: 'x' });
    expect(body.effects).toHaveLength(1);
  });

  it('is refused by external tools', async () => {
    const { status, body, text } = await tryWithoutTrace('team_send', { text: 'x' });
    expect([status, body.code]).toEqual([422, 'invalid_arguments']);
    expect(text).toContain('so it has no dry run');
    expect(journal.lines).toEqual([]);
  });

  it.each(['team_sneaky', 'team_break'])('continues after a failed statement: %s', async (tool) => {
    const { status, body } = await tryWithoutTrace(tool, { text: 'x' });
    expect([status, body.code]).toEqual([500, 'internal']);
    expect((await tryWithoutTrace('create_contact', { email: 'a@example.com' })).status).toBe(200);
  });

  it('returns the stored result of an idempotency key and stores no new key', async () => {
    const given = {
      ...(await CHANGING_TOOLS.send_message!(acme, switchboard)),
      idempotency_key: 'k1',
    };
    const first = await tryWithoutTrace<{ message: { id: string } }>('send_message', given);
    expect(first.body.effects).toHaveLength(1);
    const real = await acme.call<{ message: { id: string } }>('send_message', given);
    expect(real.value.message.id).not.toBe(first.body.result.message.id);
    const replayed = await tryWithoutTrace('send_message', given);
    expect(replayed.body).toEqual({ dry_run: true, result: real.value, effects: [] });
    const other = await tryWithoutTrace('send_message', { ...given, subject: 'Other' });
    expect(other.body.code).toBe('idempotency_mismatch');
  });

  it.each([['true'], ['yes'], [1], [0], [null], [{}], [[]]])(
    'is refused for a dry_run of %j',
    async (value) => {
      const before = await dumpOrganization(switchboard, acme.id);
      const { status, body } = await tryOut(acme, 'create_contact', {
        email: 'a@example.com',
        dry_run: value,
      });
      expect([status, body]).toEqual([
        422,
        expect.objectContaining({
          code: 'invalid_arguments',
          errors: [{ path: 'dry_run', message: 'must be true or false' }],
        }),
      ]);
      expect(await dumpOrganization(switchboard, acme.id)).toEqual(before);
    },
  );

  it('is a normal call when dry_run is false', async () => {
    const { value } = await acme.call<{ created: boolean }>('create_contact', {
      email: 'a@example.com',
      dry_run: false,
    });
    expect(value.created).toBe(true);
    expect((await acme.call('get_contact', { email: 'a@example.com' })).error).toBeUndefined();
  });

  it('throws when a call and its transaction disagree about being a dry run', async () => {
    const registry = switchboard.app.get(ToolRegistry, { strict: false });
    const tool = registry.all().find(({ descriptor }) => descriptor.name === 'team_note')!;
    const claimed = registry.call(tool, { text: 'x' }, {
      organizationId: acme.id,
      surface: 'agent',
      actor: { kind: 'user', id: acme.userId },
      signal: new AbortController().signal,
      dryRun: true,
    } as ToolCall);
    await expect(claimed).rejects.toThrow('must be called through DryRuns');
  });
});

describe('the name of an argument', () => {
  class TakenInput {
    @IsOptional()
    @IsBoolean()
    dry_run?: boolean;
  }

  @Injectable()
  class TakenTools {
    @Tool({ name: 'taken', title: 'T', description: 'T.', output: TeamOutput })
    async taken(_input: TakenInput): Promise<TeamOutput> {
      return { tried: false };
    }
  }

  it('cannot be dry_run', async () => {
    const start = startSwitchboard({ providers: [TakenTools] });
    await expect(start).rejects.toThrow(/TakenTools\.taken: dry_run .*reserved/);
  });
});

describe('with workers', () => {
  it('sends no message after a dry run', async () => {
    const whole = await startSwitchboard();
    try {
      const organization = await createOrganization(whole);
      const given = await CHANGING_TOOLS.send_message!(organization, whole);
      const tried = await tryOut<{ message: { id: string } }>(organization, 'send_message', {
        ...given,
        dry_run: true,
      });
      expect(tried.body.result.message.id).toMatch(/^msg_/);
      const real = await organization.call<{ message: { id: string } }>('send_message', given);
      await untilStatus(organization, real.value.message.id, 'sent');
      expect(await listOutbox(whole)).toEqual([`${real.value.message.id}.eml`]);
    } finally {
      await whole.close();
    }
  });
});
