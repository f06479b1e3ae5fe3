import { Injectable } from '@nestjs/common';
import type { Actor } from '../accounts/actor.js';
import { AuditLog } from '../accounts/audit-log.js';
import { TenantDatabase } from '../database/tenant-database.js';
import type { Task, TaskSource } from './task-source.js';
import { ToolRegistry } from './tool-registry.js';

/** What no source can have made never reaches one, nor the database, which refuses some characters. */
const ID = /^[!-~]{1,128}$/;

/** The tasks that agents can have begun, whichever tool began them. */
@Injectable()
export class Tasks {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly tools: ToolRegistry,
    private readonly audit: AuditLog,
  ) {}

  /** Undefined when the organization has no such task. */
  async find(organizationId: string, id: string): Promise<Task | undefined> {
    return await this.tenants.transaction(
      organizationId,
      async () => (await this.locate(organizationId, id))?.task,
      { readOnly: true },
    );
  }

  /** Ends a task; one that has ended stays as it is. False when the organization has no such task. */
  async cancel(organizationId: string, actor: Actor, id: string): Promise<boolean> {
    return await this.tenants.transaction(organizationId, async () => {
      const found = await this.locate(organizationId, id);
      if (!found) return false;
      if (await found.source.cancel(organizationId, id)) {
        await this.audit.record(organizationId, actor, 'tasks/cancel', id);
      }
      return true;
    });
  }

  /** Passes on the answers to questions that are open, and drops all others. False when there is no such task. */
  async answer(
    organizationId: string,
    actor: Actor,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    return await this.tenants.transaction(organizationId, async () => {
      const found = await this.locate(organizationId, id);
      if (!found) return false;
      const { source, task } = found;
      if (task.state.status !== 'asking') return true;
      const { requests } = task.state;
      const open = Object.entries(responses).filter(([name]) => Object.hasOwn(requests, name));
      if (open.length > 0 && source.answer) {
        await source.answer(organizationId, id, Object.fromEntries(open));
        await this.audit.record(organizationId, actor, 'tasks/update', id);
      }
      return true;
    });
  }

  private async locate(
    organizationId: string,
    id: string,
  ): Promise<{ source: TaskSource; task: Task } | undefined> {
    if (!ID.test(id)) return undefined;
    for (const source of this.tools.taskSources('agent')) {
      const task = await source.find(organizationId, id);
      if (task) return { source, task };
    }
    return undefined;
  }
}
