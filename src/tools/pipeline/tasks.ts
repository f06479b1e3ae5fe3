import { Injectable, Logger, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Actor } from '../../accounts/account.js';
import { AuditLog } from '../../accounts/audit-log.js';
import { CallRecorder } from '../../accounts/call-recorder.js';
import type { RequestOrigin } from '../../accounts/request-origin.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import type { ToolPolicies } from '../../policies/tool-policies.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import type { Task, TaskSource } from '../contract/task-source.js';
import { ToolRegistry } from '../registry/tool-registry.js';

/** Matches the ids that may reach the sources and the database. PostgreSQL refuses some other characters. */
const ID = /^[!-~]{1,128}$/;

export interface TaskCaller {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly policies: ToolPolicies;
  readonly origin?: RequestOrigin;
}

/** Finds the tasks of all tools. The process stops at boot when no module provides a task source that a tool names. */
@Injectable()
export class Tasks implements OnApplicationBootstrap {
  private readonly logger = new Logger(Tasks.name);
  private readonly sources = new Map<Type<TaskSource>, TaskSource>();

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly tools: ToolRegistry,
    private readonly audit: AuditLog,
    private readonly calls: CallRecorder,
    private readonly modules: ModuleRef,
  ) {}

  onApplicationBootstrap(): void {
    for (const { task } of this.tools.all()) {
      if (task) this.sources.set(task, this.modules.get(task, { strict: false }));
    }
  }

  /**
   * Returns the task that a call has started, or undefined for a final result. Never throws, because the call has
   * committed and must not seem to fail.
   */
  async findStarted(
    { task }: RegisteredTool,
    result: object,
    caller: TaskCaller,
  ): Promise<Task | undefined> {
    try {
      const id = task && this.sources.get(task)?.idOf(result);
      return id === undefined ? undefined : await this.find(caller, id);
    } catch (error) {
      this.logger.warn(
        `A started task cannot be looked up, so its caller gets the result of the tool instead: ${toError(error).stack}`,
      );
      return undefined;
    }
  }

  async find(caller: TaskCaller, id: string): Promise<Task | undefined> {
    return await this.tenants.transaction(
      caller.organizationId,
      async () => (await this.locate(caller, id))?.task,
      { readOnly: true },
    );
  }

  /** Cancels a task. Returns false if there is no such task. Throws `forbidden` if the policies forbid `cancelTool`. */
  async cancel(caller: TaskCaller, id: string): Promise<boolean> {
    return await this.recordRefusal(caller, 'tasks/cancel', this.cancelTask(caller, id));
  }

  private async cancelTask(caller: TaskCaller, id: string): Promise<boolean> {
    const { organizationId, actor, origin } = caller;
    return await this.tenants.transaction(organizationId, async () => {
      const found = await this.locate(caller, id);
      if (!found) return false;
      assertMayChange(caller.policies, 'tasks/cancel');
      const { cancelTool } = found.source;
      if (!this.allows(cancelTool, caller.policies)) {
        throw new AppError(
          'forbidden',
          `Your organization or the API key does not allow ${cancelTool}, which canceling this task needs.`,
        );
      }
      if (await found.source.cancel(organizationId, id)) {
        await this.audit.record(organizationId, actor, 'tasks/cancel', id, { origin });
      }
      return true;
    });
  }

  /**
   * Passes responses to open input requests to the source, and drops all other responses. Returns false if there is no
   * such task.
   */
  async answer(
    caller: TaskCaller,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const answering = this.answerTask(caller, id, responses);
    return await this.recordRefusal(caller, 'tasks/update', answering);
  }

  private async answerTask(
    caller: TaskCaller,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const { organizationId, actor, origin } = caller;
    return await this.tenants.transaction(organizationId, async () => {
      const found = await this.locate(caller, id);
      if (!found) return false;
      assertMayChange(caller.policies, 'tasks/update');
      const { source, task } = found;
      if (task.state.status !== 'asking') return true;
      const { requests } = task.state;
      const open = Object.entries(responses).filter(([name]) => Object.hasOwn(requests, name));
      if (open.length > 0 && source.answer) {
        await source.answer(organizationId, id, Object.fromEntries(open));
        await this.audit.record(organizationId, actor, 'tasks/update', id, { origin });
      }
      return true;
    });
  }

  /** Waits for `change`. Records the request when it is refused, and throws the same error. */
  private async recordRefusal(
    caller: TaskCaller,
    method: string,
    change: Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await change;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw this.calls.refused(caller, method, error);
    }
  }

  private async locate(
    { organizationId, policies }: TaskCaller,
    id: string,
  ): Promise<{ source: TaskSource; task: Task } | undefined> {
    if (!ID.test(id)) return undefined;
    for (const token of this.tools.taskSources('agent', policies)) {
      const source = this.sources.get(token);
      if (!source || !this.allows(source.readTool, policies)) continue;
      const task = await source.find(organizationId, id);
      if (task) return { source, task };
    }
    return undefined;
  }

  /**
   * Returns true if the policies let agents call the tool without a confirmation. Also returns true when no name is
   * given.
   */
  private allows(name: string | undefined, policies: ToolPolicies): boolean {
    if (name === undefined) return true;
    const tool = this.tools.find(name, 'agent', policies);
    // Nobody can be asked for a confirmation here. As in a call of the tool, `when_possible` then needs no
    // confirmation.
    return tool !== undefined && policies.confirmation(...tool.names) !== 'always';
  }
}

/** Throws `forbidden` for a read-only API key, even when the source names no tool. */
function assertMayChange(policies: ToolPolicies, method: string): void {
  const fault =
    policies.restriction?.readOnly && policies.faultOf({ names: [method], readOnly: false });
  if (fault) throw new AppError('forbidden', fault);
}
