import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../accounts/audit-log.js';
import { Env } from '../../config/env.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { fingerprint } from '../../text/canonical-json.js';
import { askForm, type InputRequest } from '../contract/input-request.js';
import type { ToolCall } from '../contract/tool-call.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import type { RegisteredTool } from '../registry/registered-tool.js';

export type ToolMethod = (input: object, call: ToolCall) => Promise<object>;

/** Limits the text of arguments that a person sees before confirming a call. */
const MAX_SHOWN_ARGUMENTS = 2000;

interface CheckedCall {
  readonly tool: RegisteredTool;
  readonly method: ToolMethod;
  readonly input: object;
  readonly call: ToolCall;
}

/** Runs every call after its guards: validation, transaction, idempotency, confirmation, method, audit. */
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
   * Returns the result, or the stored result of the same idempotency key. An abort before the commit rolls the call
   * back. A dry run of an external tool throws `invalid_arguments`, because it cannot be rolled back.
   */
  run(tool: RegisteredTool, method: ToolMethod, given: unknown, call: ToolCall): Promise<object> {
    const input = tool.parse(given ?? {});
    call.signal.throwIfAborted();
    // Without this, a dry run that did not come through `DryRuns` would change data.
    if ((call.dryRun ?? false) !== this.tenants.inDryRun) {
      throw new Error('A dry run must be called through DryRuns, and only a dry run.');
    }
    const checked = { tool, method, input, call };
    if (tool.external && call.dryRun) {
      throw AppError.invalid('This tool calls external systems, so it has no dry run.');
    }
    if (tool.external) return this.runOutside(checked);
    return tool.readOnly ? this.read(checked) : this.change(checked);
  }

  private read({ tool, method, input, call }: CheckedCall): Promise<object> {
    // Without this, Nest would build the line for each call, and the log would drop it.
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
      // A method may ignore the signal. Without this, work that nobody waits for would be committed.
      call.signal.throwIfAborted();
      return result;
    });
  }

  /** Runs an external tool without an open transaction. Its effects outside cannot be rolled back. */
  private async runOutside(checked: CheckedCall): Promise<object> {
    const { tool, method, input, call } = checked;
    const { organizationId } = call;
    const key = idempotencyKeyOf(input, call);
    const earlier = await this.tenants.transaction(organizationId, async () => {
      const claimed = await this.claim(checked, key);
      if (!claimed) await confirm(tool, input, call);
      return claimed;
    });
    // One worker at a time has the lease of a run, so an earlier attempt of its step has ended and may be repeated.
    if (earlier && !earlier.result && call.surface !== 'workflow') {
      throw new AppError(
        'conflict',
        'A call with this key is still running, or stopped before it was recorded. It may have had its effect: check before you call again with another key.',
      );
    }
    if (earlier?.result) return earlier.result;
    let result: object;
    try {
      result = await this.tenants.outside(() => method(input, call));
    } catch (error) {
      if (key !== undefined) {
        await this.tenants.transaction(organizationId, () =>
          this.idempotency.release(organizationId, tool.names[0], key),
        );
      }
      throw error;
    }
    await this.failpoints.reach('after outside call, before journal', call.actor.id);
    await this.tenants.transaction(organizationId, () => this.complete(checked, key, result));
    return result;
  }

  private async claim(
    { tool, input, call }: CheckedCall,
    key: string | undefined,
  ): Promise<{ result: object | null } | undefined> {
    if (key === undefined) return undefined;
    const digest = fingerprint(input);
    const { organizationId } = call;
    const [name, ...oldNames] = tool.names;
    // A key that was used under an old name of the tool returns its stored result too.
    const earlier =
      (oldNames.length > 0
        ? await this.idempotency.find(organizationId, oldNames, key)
        : undefined) ?? (await this.idempotency.claim(organizationId, name, key, digest));
    if (!earlier) return undefined;
    if (!earlier.fingerprint.equals(digest)) {
      throw new AppError(
        'idempotency_mismatch',
        'This idempotency_key was used before with other arguments.',
      );
    }
    return earlier;
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
  const request = confirmationRequest(tool.descriptor.title, input, call.dryRun);
  if (call.confirmation === 'when_possible' && !call.canAsk(request)) return;
  await call.ask({ 'switchboard.confirmation': request });
}

/** The form has no fields: a person agrees by accepting it. */
class Agreement {}

function confirmationRequest(
  title: string,
  input: object,
  isDryRun = false,
): InputRequest<Agreement> {
  const json = JSON.stringify(input, undefined, 2);
  const shown =
    json.length > MAX_SHOWN_ARGUMENTS
      ? `${json.slice(0, MAX_SHOWN_ARGUMENTS).toWellFormed()}…`
      : json;
  const question = isDryRun ? 'Allow a dry run of this action?' : 'Allow this action?';
  return askForm(`${question} ${title}, with:\n${shown}`, Agreement);
}

function idempotencyKeyOf(input: object, call: ToolCall): string | undefined {
  return (input as { idempotency_key?: string }).idempotency_key ?? call.idempotencyKey;
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

/** Reports a stored failure of work, such as a run. Its owner may see it, whatever its code is. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';

  constructor(readonly failure: AppError) {
    super(failure.message, { cause: failure });
  }
}
