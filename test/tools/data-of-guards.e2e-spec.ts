import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Contact } from '../../src/contacts/contact.entity.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { AppError } from '../../src/errors/app-error.js';
import { ToolPolicies } from '../../src/policies/tool-policies.js';
import { SILENT_CALLER, type ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { ToolRegistry } from '../../src/tools/registry/tool-registry.js';
import { answerOf, textOf } from '../mcp/support/answer.js';
import { waitForClosedTransactions } from '../support/open-transactions.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, type RunShape } from '../workflows/support/workflow-client.js';

const MOST_CONTACTS = 3;
const MISTAKES = ['no mistake', 'foreign session', 'foreign transaction', 'late', 'two'] as const;

class BookInput {
  /** The place where the call fails. */
  @IsOptional()
  @IsIn(['method', 'after', 'abort'])
  fail?: string;

  /** The mistake that the guard makes. */
  @IsOptional()
  @IsIn(MISTAKES)
  mistake?: string;

  /** An organization that the caller names. A guard must not trust it. */
  @IsOptional()
  @IsString()
  organization_id?: string;
}

class BookResult {
  @IsInt()
  before: number;

  @IsInt()
  after: number;
}

/** Reads and writes contacts in the transaction that surrounds its caller. */
@Injectable()
class ContactBook {
  readonly caller = new AbortController();

  constructor(readonly tenants: TenantDatabase) {}

  async count(organizationId: string): Promise<number> {
    return await this.tenants.session(organizationId).repository(Contact).count();
  }

  async add(organizationId: string): Promise<void> {
    const id = `con_${Math.random().toString(36).slice(2)}`;
    const contact = { organizationId, id, email: `${id}@example.com`, searchText: '' };
    await this.tenants.session(organizationId).repository(Contact).insert(contact);
  }
}

@Injectable()
class FullGuard implements CanActivate {
  constructor(private readonly book: ContactBook) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const [given, { organizationId }] = context.getArgs<[BookInput, ToolCall]>();
    const other = given.organization_id ?? organizationId;
    const { tenants } = this.book;
    if (given.mistake === 'foreign session') await this.book.count(other);
    if (given.mistake === 'foreign transaction') {
      await tenants.transaction(other, () => this.book.count(other), { readOnly: true });
    }
    if (given.mistake === 'late') await tenants.outside(() => this.book.count(organizationId));
    if (given.mistake === 'two') {
      const twice = () => Promise.all([this.book.count(other), this.book.count(other)]);
      await tenants.outside(() => tenants.transaction(other, twice, { singleStatement: true }));
    }
    const count = await this.book.count(organizationId);
    if (count >= MOST_CONTACTS) throw new AppError('forbidden', 'The book is full.');
    return true;
  }
}

/** Replaces the result with the number of contacts before and after the method, even when the method fails. */
@Injectable()
class CountInterceptor implements NestInterceptor {
  constructor(private readonly book: ContactBook) {}

  async intercept(
    context: ExecutionContext,
    next: CallHandler<BookResult>,
  ): Promise<Observable<BookResult>> {
    const [given, { organizationId }] = context.getArgs<[BookInput, ToolCall]>();
    const before = await this.book.count(organizationId);
    try {
      await lastValueFrom(next.handle());
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    }
    const after = await this.book.count(organizationId);
    if (given.fail === 'abort') this.book.caller.abort();
    if (given.fail === 'after') throw new AppError('rejected', `${after} contacts.`);
    return of({ before, after });
  }
}

@Injectable()
@UseGuards(FullGuard)
@UseInterceptors(CountInterceptor)
class BookTools {
  private opening = Promise.resolve();
  open = (): void => undefined;
  isWaiting = false;

  constructor(private readonly book: ContactBook) {}

  @Tool({ name: 'book_add', title: 'Add', description: 'Adds one.', output: BookResult })
  async add({ fail }: BookInput, { organizationId }: ToolCall): Promise<BookResult> {
    await this.book.add(organizationId);
    if (fail === 'method') throw new AppError('conflict', 'After the write.');
    return { before: 0, after: 0 };
  }

  @Tool({
    name: 'book_look',
    title: 'Look',
    description: 'Looks.',
    output: BookResult,
    readOnly: true,
  })
  async look(_input: BookInput, { organizationId }: ToolCall): Promise<BookResult> {
    return { before: 0, after: await this.book.count(organizationId) };
  }

  @Tool({
    name: 'book_fetch',
    title: 'Fetch',
    description: 'Adds one that another system has.',
    output: BookResult,
    external: true,
  })
  async fetch(_input: BookInput, { organizationId }: ToolCall): Promise<BookResult> {
    const { tenants } = this.book;
    expect(tenants.inTransaction).toBe(false);
    this.isWaiting = true;
    await this.opening;
    await tenants.transaction(organizationId, () => this.book.add(organizationId));
    return { before: 0, after: 0 };
  }

  /** Makes external calls wait until `open` is called. */
  close(): void {
    this.isWaiting = false;
    this.opening = new Promise((resolve) => (this.open = resolve));
  }
}

let switchboard: Switchboard;
let tools: BookTools;
let acme: TestOrganization;

beforeAll(async () => {
  // In development, callers see the text of an unexpected error.
  switchboard = await startSwitchboard({
    env: { NODE_ENV: 'development' },
    providers: [ContactBook, BookTools],
  });
  tools = switchboard.app.get(BookTools);
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

type Given = Partial<BookInput> & { dry_run?: true };
interface Failure {
  code: string;
  message: string;
  error_id?: string;
  confirmation_id?: string;
}
/** Calls a tool, and returns its result or its error. */
type CallTool = (tool: string, given?: Given) => Promise<Partial<BookResult> | { error: Failure }>;

const asAgent: CallTool = async (name, given = {}) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const { body } = await answerOf(acme.rpc({ ...message, params: { name, arguments: given } }));
  return textOf(body) as BookResult;
};

const asPerson: CallTool = async (tool, given = {}) => {
  const response = await acme.fetch(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  });
  const body = (await response.json()) as BookResult & { code: string; detail: string };
  if (response.ok) return body;
  const { code, detail, error_id } = body as typeof body & { error_id?: string };
  return { error: { code, message: detail, ...(error_id && { error_id }) } };
};

const asStep: CallTool = async (tool, given = {}) => {
  const step = { id: 'book', tool, arguments: given, retry: { max_attempts: 1 } };
  const more = { active: true, trigger: { type: 'manual' } };
  const { id } = await createWorkflow(acme, [step], more);
  const started = await acme.call<{ run_id: string }>('trigger_workflow', { workflow_id: id });
  const run = await waitFor(async () => {
    const { value } = await acme.call<{ run: RunShape }>('get_run', started.value);
    return ['succeeded', 'failed'].includes(value.run.status) ? value.run : undefined;
  });
  const { output, error } = run.steps[0]!;
  return error ? { error } : (output as Partial<BookResult>);
};

const CALLERS: [string, CallTool][] = [
  ['agents', asAgent],
  ['people', asPerson],
  ['steps', asStep],
];

async function countContacts(): Promise<number> {
  const sql = 'select count(*)::int as count from contacts where organization_id = $1';
  return (await switchboard.ownerQuery<{ count: number }>(sql, [acme.id]))[0]!.count;
}

describe.each(CALLERS)('guards and interceptors of the tools of %s', (_caller, call) => {
  it('read data of the organization before and after the method', async () => {
    expect(await call('book_add')).toEqual({ before: 0, after: 1 });
    expect(await call('book_look')).toEqual({ before: 1, after: 1 });
    expect(await call('book_fetch')).toEqual({ before: 1, after: 2 });
    expect(await call('book_add')).toEqual({ before: 2, after: 3 });
    const full = { error: { code: 'forbidden', message: 'The book is full.' } };
    for (const tool of ['book_add', 'book_look', 'book_fetch']) {
      expect(await call(tool)).toEqual(full);
    }
    expect(await countContacts()).toBe(3);
  });

  it('see only the organization of the call', async () => {
    const other = await createOrganization(switchboard);
    await other.call('create_contact', { email: 'grace@example.com' });
    expect(await call('book_look')).toEqual({ before: 0, after: 0 });
    for (const mistake of ['foreign session', 'foreign transaction']) {
      for (const tool of ['book_add', 'book_look', 'book_fetch']) {
        const refused = await call(tool, { mistake, organization_id: other.id });
        expect(refused, `${tool} ${mistake}`).toMatchObject({
          error: {
            code: 'internal',
            message: expect.stringMatching(/pass call\.organizationId/) as string,
          },
        });
      }
    }
    expect(await countContacts()).toBe(0);
  });

  it('fail the whole call when they throw after the method', async () => {
    expect(await call('book_add', { fail: 'after' })).toMatchObject({
      error: { message: '1 contacts.' },
    });
    expect(await countContacts()).toBe(0);
  });

  it('see no partial changes of a failed method whose error they catch', async () => {
    expect(await call('book_add', { fail: 'method' })).toEqual({ before: 0, after: 0 });
    expect(await countContacts()).toBe(0);
  });

  it('get errors that say which method to call, and callers see these errors in development', async () => {
    const late = await call('book_look', { mistake: 'late' });
    expect(late).toMatchObject({
      error: {
        code: 'internal',
        message: expect.stringMatching(
          /Use session\(\) and repository\(\) of TenantDatabase/,
        ) as string,
      },
    });
    const two = await call('book_look', { mistake: 'two' });
    expect(two).toMatchObject({
      error: {
        code: 'internal',
        message: expect.stringMatching(/Remove singleStatement: true/) as string,
      },
    });
  });
});

describe('guards and interceptors', () => {
  it('commit nothing for a caller that disconnected while an interceptor ran', async () => {
    const registry = switchboard.app.get(ToolRegistry);
    const { signal } = switchboard.app.get(ContactBook).caller;
    const call = {
      ...SILENT_CALLER,
      organizationId: acme.id,
      surface: 'agent',
      actor: { kind: 'key', id: 'key_1' },
      signal,
    } as const;
    const tool = registry.find('book_add', 'agent', ToolPolicies.NONE)!;
    await expect(registry.call(tool, { fail: 'abort' }, call)).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await countContacts()).toBe(0);
  });

  it('hold no connection while an external tool waits', async () => {
    tools.close();
    const calling = asAgent('book_fetch');
    await waitFor(() => tools.isWaiting);
    await waitForClosedTransactions(switchboard);
    tools.open();
    expect(await calling).toEqual({ before: 0, after: 1 });
  });

  it('see the rows of the dry run of a call, and store nothing', async () => {
    const dry = await asPerson('book_add', { dry_run: true });
    expect(dry).toMatchObject({
      dry_run: true,
      result: { before: 0, after: 1 },
      effects: [{ action: 'create', table: 'contacts' }],
    });
    expect(await countContacts()).toBe(0);
    for (let count = 0; count < MOST_CONTACTS; count += 1) await asPerson('book_add');
    expect(await asPerson('book_add', { dry_run: true })).toMatchObject({
      error: { code: 'forbidden' },
    });
  });

  it('read data for a call that a person has approved', async () => {
    await acme.call('set_tool_policy', { tool: 'book_add', confirmation: 'always' });
    const { error } = (await asAgent('book_add')) as { error: Failure };
    expect(error.code).toBe('confirmation_required');
    const { confirmation_id } = error;
    await acme.call('approve_confirmation', { confirmation_id });
    expect(await asAgent('book_add')).toEqual({ before: 0, after: 1 });
    expect(await countContacts()).toBe(1);
  });
});
