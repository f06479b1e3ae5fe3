import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../accounts/audit-log.js';
import { Env } from '../../config/env.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { fingerprint } from '../../text/canonical-json.js';
import type { ToolCall } from '../contract/tool-call.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import { confirmationOf } from './confirmation.js';

export type ToolMethod = (input: object, call: ToolCall) => Promise<object>;

/** One call whose arguments have been checked. */
interface CheckedCall {
  readonly tool: RegisteredTool;
  readonly method: ToolMethod;
  readonly input: object;
  readonly call: ToolCall;
}

/** What happens to every call between its guards and its method, the same for agents, workflows and people. */
@Injectable()
export class ToolPipeline {
  private readonly logger = new Logger('ToolCall');

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditLog,
    private readonly failpoints: Failpoints,
    private readonly env: Env,
  ) {}

  /**
   * Validates, opens the transaction of the organization, replays or runs, and records what was changed. A signal that
   * aborts before the commit rolls the call back; after it, or after a call outside, the work is done and stays. A dry
   * run differs in nothing but that its transaction does not stay, and refuses tools that talk to the outside.
   */
  run(tool: RegisteredTool, method: ToolMethod, given: unknown, call: ToolCall): Promise<object> {
    const input = tool.parse(given ?? {});
    call.signal.throwIfAborted();
    // The one wrong answer to a dry run is to do it: a call that asks for one must have come by way of `DryRuns`.
    if ((call.dryRun ?? false) !== this.tenants.inDryRun) {
      throw new Error('Whether a call is a dry run must be known before it begins.');
    }
    const checked = { tool, method, input, call };
    if (tool.external && call.dryRun) {
      throw AppError.invalid(
        'This tool talks to systems outside, so it cannot be tried without effect.',
      );
    }
    if (tool.external) return this.runOutside(checked);
    return tool.readOnly ? this.read(checked) : this.change(checked);
  }

  private read({ tool, method, input, call }: CheckedCall): Promise<object> {
    // Nest would put the line together and pass it on, for the log to drop it.
    if (this.env.logsDebug) {
      this.logger.debug({
        organization: call.organizationId,
        actor: call.actor.id,
        tool: tool.descriptor.name,
      });
    }
    return this.tenants.transaction(
      call.organizationId,
      () =>
        call.confirmation === undefined
          ? method(input, call)
          : confirm(tool, input, call).then(() => method(input, call)),
      { readOnly: true },
    );
  }

  private async change(checked: CheckedCall): Promise<object> {
    const { tool, method, input, call } = checked;
    return await this.tenants.transaction(call.organizationId, async () => {
      const key = idempotencyKeyOf(input, call);
      const earlier = await this.claim(checked, key);
      if (earlier?.result) return earlier.result;
      await confirm(tool, input, call);
      const result = await method(input, call);
      await this.complete(checked, key, result);
      // The method may not have looked, and nobody would learn of what it did.
      call.signal.throwIfAborted();
      return result;
    });
  }

  /** Without a transaction while the tool waits; what it does outside cannot be taken back. */
  private async runOutside(checked: CheckedCall): Promise<object> {
    const { tool, method, input, call } = checked;
    const { organizationId } = call;
    const key = idempotencyKeyOf(input, call);
    const earlier = await this.tenants.transaction(organizationId, async () => {
      const claimed = await this.claim(checked, key);
      if (!claimed) await confirm(tool, input, call);
      return claimed;
    });
    // A run is held by one worker at a time, so an earlier attempt of its step is over, and is repeated under its key.
    if (earlier && !earlier.result && call.surface !== 'workflow') {
      throw new AppError(
        'conflict',
        'A call with this key is still running, or stopped half-way: whether it had its effect is not known.',
      );
    }
    if (earlier?.result) return earlier.result;
    let result: object;
    try {
      result = await this.tenants.outside(() => method(input, call));
    } catch (error) {
      if (key !== undefined) await this.release(checked, key);
      throw error;
    }
    await this.failpoints.reach('after outside call, before journal', call.actor.id);
    await this.tenants.transaction(organizationId, () => this.complete(checked, key, result));
    return result;
  }

  /** The earlier call with this key, or undefined once the key belongs to this call. */
  private async claim(
    { tool, input, call }: CheckedCall,
    key: string | undefined,
  ): Promise<{ result: object | null } | undefined> {
    if (key === undefined) return undefined;
    const print = fingerprint(input);
    const { organizationId } = call;
    const [name, ...oldNames] = tool.names;
    // Keys that were used before the tool was renamed still answer.
    const earlier =
      (oldNames.length > 0
        ? await this.idempotency.find(organizationId, oldNames, key)
        : undefined) ?? (await this.idempotency.claim(organizationId, name, key, print));
    if (!earlier) return undefined;
    if (!earlier.fingerprint.equals(print)) {
      throw new AppError(
        'idempotency_mismatch',
        'This idempotency_key was used before with other arguments.',
      );
    }
    return earlier;
  }

  private async release({ tool, call }: CheckedCall, key: string): Promise<void> {
    const { organizationId } = call;
    await this.tenants.transaction(organizationId, () =>
      this.idempotency.release(organizationId, tool.descriptor.name, key),
    );
  }

  private async complete(
    { tool, input, call }: CheckedCall,
    key: string | undefined,
    result: object,
  ): Promise<void> {
    const { organizationId, actor } = call;
    const { name } = tool.descriptor;
    if (key !== undefined) await this.idempotency.complete(organizationId, name, key, result);
    await this.audit.record(organizationId, actor, name, subjectOf(input, result));
  }
}

async function confirm(tool: RegisteredTool, input: object, call: ToolCall): Promise<void> {
  if (call.confirmation === undefined) return;
  const request = confirmationOf(tool.descriptor.title, input, call.dryRun);
  if (call.confirmation === 'when_possible' && !call.canAsk(request)) return;
  await call.ask({ 'switchboard.confirmation': request });
}

function idempotencyKeyOf(input: object, call: ToolCall): string | undefined {
  return (input as { idempotency_key?: string }).idempotency_key ?? call.idempotencyKey;
}

/** Id of the thing that a call was about: what it answered with, or else what it was asked about. A tool is its name. */
function subjectOf(input: object, result: object): string | null {
  for (const value of Object.values(result)) {
    const id = (value as { id?: unknown } | null)?.id;
    if (typeof id === 'string') return id;
  }
  for (const source of [result, input]) {
    for (const [key, value] of Object.entries(source)) {
      if (key.endsWith('_id') && typeof value === 'string') return value;
    }
  }
  const { tool } = input as { tool?: unknown };
  return typeof tool === 'string' ? tool : null;
}

/** Work that failed and was written down with what its owner may know, whatever the code of it is. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';

  constructor(readonly failure: AppError) {
    super(failure.message, { cause: failure });
  }
}
