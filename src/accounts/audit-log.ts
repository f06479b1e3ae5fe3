import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/tenant-database.js';
import type { Actor } from './actor.js';
import { AuditLogEntry } from './audit-log.entity.js';

/** The record of who changed what. Written in the transaction of the change, so neither exists without the other. */
@Injectable()
export class AuditLog {
  constructor(private readonly tenants: TenantDatabase) {}

  async record(
    organizationId: string,
    actor: Actor,
    action: string,
    subject: string | null,
  ): Promise<void> {
    await this.recordAll(organizationId, actor, action, [subject]);
  }

  /** Records that the same was done to several things. */
  async recordAll(
    organizationId: string,
    actor: Actor,
    action: string,
    subjects: readonly (string | null)[],
  ): Promise<void> {
    if (subjects.length === 0) return;
    const entry = { organizationId, actorKind: actor.kind, actorId: actor.id, action };
    await this.tenants.manager(organizationId).insert(
      AuditLogEntry,
      subjects.map((subject) => ({ ...entry, subject })),
    );
  }
}
