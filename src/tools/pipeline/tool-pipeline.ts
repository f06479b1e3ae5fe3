import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../accounts/audit-log.js';
import { CallRecorder } from '../../accounts/call-recorder.js';
import { Env } from '../../config/env.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { fingerprint } from '../../text/canonical-json.js';
import {
  ApprovalMissing,
  type ConfirmedCall,
  ConfirmationsService,
} from '../confirmations/confirmations.service.js';
import { InputRequired, MissingCapability } from '../contract/input-request.js';
import type { ToolCall } from '../contract/tool-call.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import { withEnd } from './call-end.js';
import { confirm } from './confirm-call.js';
import { withoutSecrets } from './secret-members.js';

export type ToolMethod = (input: object, call: ToolCall) => Promise<object>;

/** The text that people see in place of a secret. */
const HIDDEN = '(hidden)';

interface CheckedCall {
  readonly tool: RegisteredTool;
  readonly method: ToolMethod;
  readonly input: object;
  readonly call: ToolCall;
  /** The time of `performance.now()` at which the call began. */
  readonly beganAt: number;
  /** The approval of the call. Set if a signed-in person must have approved it. */
  readonly confirmed?: ConfirmedCall;
}

interface BegunCall {
  readonly key: string | undefined;
  readonly approval: string | undefined;
  readonly earlier: { result: object | null } | undefined;
}

/**
 * Runs every call: guards, validation, transaction, idempotency, confirmation, method, audit. A call of a hidden tool
 * does not reach the pipeline, because `ToolRegistry.find` does not find the tool.
 */
@Injectable()
export class ToolPipeline {
  private readonly logger = new Logger('ToolCall');

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly idempotency: IdempotencyRepository,
    private readonly confirmations: ConfirmationsService,
    private readonly audit: AuditLog,
    private readonly calls: CallRecorder,
    private readonly failpoints: Failpoints,
    private readonly env: Env,
  ) {}

  /**
   * Returns the result, or the stored result of the same idempotency key. An abort before the commit rolls the call
   * back. A dry run of an external tool throws `invalid_arguments`, because the effects of the tool cannot be rolled
   * back.
   */
  run(tool: RegisteredTool, method: ToolMethod, given: unknown, call: ToolCall): Promise<object> {
    const input = tool.parse(given ?? {});
    call.signal.throwIfAborted();
    // Without this check, a dry run that did not come through `DryRuns` would change data.
    if ((call.dryRun ?? false) !== this.tenants.inDryRun) {
      throw new Error('A dry run must be called through DryRuns, and any other call must not.');
    }
    const checked = { tool, method, input, call, beganAt: performance.now() };
    if (tool.external && call.dryRun) {
      throw AppError.invalid('This tool calls external systems, so it has no dry run.');
    }
    if (call.confirmation === 'always') return this.runConfirmed(checked);
    if (tool.external) return this.runInParts(checked);
    return tool.readOnly ? this.read(checked) : this.change(checked);
  }

  /**
   * Runs guards and interceptors, which call {@link runBehindGuards}, in the transaction of the call. Calls that run in
   * parts have no such transaction. In these calls, each statement of a guard commits separately and only reads, so no
   * connection is occupied while the tool waits.
   */
  async runGuarded(
    tool: RegisteredTool,
    call: ToolCall,
    guarded: () => Promise<object>,
  ): Promise<object> {
    const readOnly = tool.readOnly || runsInParts(tool, call);
    const work = async (): Promise<object> => {
      const result = await guarded();
      // An interceptor may have waited. Without this check, work for which nobody waits would be committed.
      if (!readOnly) call.signal.throwIfAborted();
      return result;
    };
    return await this.tenants.transaction(call.organizationId, work, { readOnly });
  }

  /** Runs the part of the call that the innermost interceptor surrounds. */
  async runBehindGuards(
    tool: RegisteredTool,
    method: ToolMethod,
    given: unknown,
    call: ToolCall,
  ): Promise<object> {
    const work = async (): Promise<object> => await this.run(tool, method, given, call);
    if (runsInParts(tool, call)) return await this.tenants.outside(work);
    // Without the savepoint, an interceptor that catches the error of a method would commit half of its writes.
    return await this.tenants.savepoint(call.organizationId, work);
  }

  /** Runs a call that a person approved. Stores any other call for a person and throws `confirmation_required`. */
  private async runConfirmed(checked: CheckedCall): Promise<object> {
    const { tool, input, call } = checked;
    if (call.dryRun) {
      throw new AppError(
        'forbidden',
        'A person must approve calls of this tool, so an agent cannot make a dry run of it. A signed-in member can.',
      );
    }
    const confirmed = {
      organizationId: call.organizationId,
      apiKeyId: call.actor.id,
      tool: tool.names[0],
      arguments: withoutSecrets(input, tool.secrets, HIDDEN),
      digest: fingerprint(input),
    };
    const bound = { ...checked, confirmed };
    try {
      return await (tool.external || tool.readOnly ? this.runInParts(bound) : this.change(bound));
    } catch (error) {
      if (!(error instanceof ApprovalMissing)) throw error;
      throw await this.confirmations.request(confirmed);
    }
  }

  private read({ tool, method, input, call }: CheckedCall): Promise<object> {
    // Without this check, Nest would build the log line for each call, and the logger would drop the line.
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

  private change(checked: CheckedCall): Promise<object> {
    const { method, input, call } = checked;
    const work = async (): Promise<object> => {
      const { key, earlier } = await this.begin(checked);
      if (earlier?.result) return earlier.result;
      const result = await method(input, call);
      await this.complete(checked, key, result);
      // A method may ignore the signal. Without this check, work for which nobody waits would be committed.
      call.signal.throwIfAborted();
      return result;
    };
    return this.tenants.transaction(call.organizationId, work, { sharesCommit: true });
  }

  /**
   * Runs an external tool without an open transaction, because its effects on other systems cannot be rolled back. Runs
   * an approved call of a tool that only reads in a READ ONLY transaction, because using the approval is a write.
   */
  private async runInParts(checked: CheckedCall): Promise<object> {
    const { tool, method, input, call } = checked;
    const { organizationId } = call;
    const begun = await this.tenants.transaction(organizationId, () => this.begin(checked));
    const { key, earlier } = begun;
    // In a workflow, only the worker with the lease of the run gets here, so an earlier attempt of the step has ended.
    if (earlier && !earlier.result && call.surface !== 'workflow') {
      throw new AppError(
        'conflict',
        'A call with this key is still running, or stopped before it was recorded. It may have had its effect: check before you call again with another key.',
      );
    }
    if (earlier?.result) return earlier.result;
    return await withEnd(async (end) => {
      const work = (): Promise<object> => method(input, { ...call, end });
      let result: object;
      try {
        result = tool.external
          ? await this.tenants.outside(work)
          : await this.tenants.transaction(organizationId, work, { readOnly: true });
      } catch (error) {
        await this.undo(checked, begun, error);
        throw error;
      }
      await this.failpoints.reach('after outside call, before journal', call.actor.id);
      const record = () => end.complete(() => this.complete(checked, key, result));
      await this.tenants.transaction(organizationId, record);
      return result;
    });
  }

  /** Reserves the key. Throws when a new call needs a confirmation, so that the transaction rolls back. */
  private async begin(checked: CheckedCall): Promise<BegunCall> {
    const { tool, input, call, confirmed } = checked;
    const approval = confirmed && (await this.confirmations.findApproval(confirmed));
    const key = idempotencyKeyOf(input, call, approval);
    const earlier = await this.reserveKey(checked, key);
    if (confirmed && !earlier) await this.confirmations.use(confirmed, approval);
    else if (!confirmed && !earlier?.result) await confirm(tool, input, call);
    return { key, approval, earlier };
  }

  /** Releases the key of a failed call. Its approval stays usable only if the call cannot have had an effect. */
  private async undo(
    { tool, call: { organizationId } }: CheckedCall,
    { key, approval }: BegunCall,
    error: unknown,
  ): Promise<void> {
    if (key === undefined) return;
    const hasAsked = error instanceof InputRequired || error instanceof MissingCapability;
    const state = tool.readOnly || hasAsked ? 'approved' : 'failed';
    await this.tenants.transaction(organizationId, async () => {
      await this.idempotency.release(organizationId, tool.names[0], key);
      if (approval) await this.confirmations.recordFailure(organizationId, approval, state);
    });
  }

  private async reserveKey(
    { tool, input, call: { organizationId } }: CheckedCall,
    key: string | undefined,
  ): Promise<{ result: object | null } | undefined> {
    if (key === undefined) return undefined;
    const digest = fingerprint(input);
    const [name, ...oldNames] = tool.names;
    // A key that was used under an old name of the tool returns its stored result too.
    const earlier =
      (oldNames.length > 0
        ? await this.idempotency.find(organizationId, oldNames, key)
        : undefined) ?? (await this.idempotency.reserve(organizationId, name, key, digest));
    if (!earlier) return undefined;
    if (!earlier.fingerprint.equals(digest)) {
      throw new AppError(
        'idempotency_mismatch',
        'This idempotency_key was used before with other arguments. Use a new key.',
      );
    }
    return earlier;
  }

  private async complete(
    { tool, input, call, beganAt }: CheckedCall,
    key: string | undefined,
    result: object,
  ): Promise<void> {
    const { organizationId, actor, origin } = call;
    const { name } = tool.descriptor;
    if (key !== undefined) {
      const stored = withoutSecrets(result, tool.secrets, null);
      await this.idempotency.complete(organizationId, name, key, stored);
    }
    await this.audit.record(organizationId, actor, name, subjectOf(input, result), {
      argumentsDigest: this.calls.digest(organizationId, input),
      durationMs: Math.round(performance.now() - beganAt),
      origin,
    });
  }
}

/** Returns true for calls with several transactions. No transaction is open while an external method runs. */
function runsInParts(tool: RegisteredTool, call: ToolCall): boolean {
  return tool.external || call.confirmation === 'always';
}

/** Returns the idempotency key. Without a given key, the key of an approved call is derived from the approval. */
function idempotencyKeyOf(input: object, call: ToolCall, approval?: string): string | undefined {
  const given = (input as { idempotency_key?: string }).idempotency_key ?? call.idempotencyKey;
  return given ?? (approval === undefined ? undefined : `confirmation ${approval}`);
}

/** Returns the id for the audit log from the result, or else from the input. The id of a tool is its name. */
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
