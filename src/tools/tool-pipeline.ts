import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../accounts/audit-log.js';
import { TenantDatabase } from '../database/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { fingerprint } from './canonical-json.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { parseArguments } from './parse-arguments.js';
import type { RegisteredTool } from './registered-tool.js';
import type { ToolCall } from './tool-call.js';

export type ToolMethod = (input: object, call: ToolCall) => Promise<object>;

/** What happens to every call between its guards and its method, the same for agents, workflows and people. */
@Injectable()
export class ToolPipeline {
  private readonly logger = new Logger('ToolCall');

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Validates, opens the transaction of the organization, replays or runs, and records what was changed. A signal that
   * aborts before the commit rolls the call back; after it, or after a call outside, the work is done and stays.
   */
  async run(
    tool: RegisteredTool,
    method: ToolMethod,
    given: unknown,
    call: ToolCall,
  ): Promise<object> {
    const input = parseArguments(tool.input, tool.descriptor.inputSchema, given ?? {});
    const name = tool.descriptor.name;
    call.signal.throwIfAborted();
    if (tool.external) {
      const result = await this.tenants.outside(() => method(input, call));
      await this.tenants.transaction(call.organizationId, () =>
        this.recordCall(name, input, result, call),
      );
      return result;
    }
    if (tool.readOnly) {
      const result = await this.tenants.transaction(
        call.organizationId,
        () => method(input, call),
        { readOnly: true },
      );
      this.logger.debug({ organization: call.organizationId, actor: call.actor.id, tool: name });
      return result;
    }
    return await this.tenants.transaction(call.organizationId, async () => {
      const key = idempotencyKeyOf(input);
      if (key !== undefined) {
        const earlier = await this.replay(name, key, input, call);
        if (earlier) return earlier;
      }
      const result = await method(input, call);
      if (key !== undefined) {
        await this.idempotency.complete(call.organizationId, name, key, result);
      }
      await this.recordCall(name, input, result, call);
      // The method may not have looked, and nobody would learn of what it did.
      call.signal.throwIfAborted();
      return result;
    });
  }

  private async replay(
    name: string,
    key: string,
    input: object,
    call: ToolCall,
  ): Promise<object | undefined> {
    const print = fingerprint(input);
    const earlier = await this.idempotency.claim(call.organizationId, name, key, print);
    if (!earlier) return undefined;
    if (!earlier.fingerprint.equals(print)) {
      throw new AppError(
        'idempotency_mismatch',
        'This idempotency_key was used before with other arguments.',
      );
    }
    return earlier.result ?? undefined;
  }

  private async recordCall(
    name: string,
    input: object,
    result: object,
    call: ToolCall,
  ): Promise<void> {
    await this.audit.record(call.organizationId, call.actor, name, subjectOf(input, result));
  }
}

function idempotencyKeyOf(input: object): string | undefined {
  return (input as { idempotency_key?: string }).idempotency_key;
}

/** Id of the thing that a call was about: what it answered with, or else what it was asked about. */
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
  return null;
}
