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
    await this.tenants.manager(organizationId).insert(AuditLogEntry, {
      organizationId,
      actorKind: actor.kind,
      actorId: actor.id,
      action,
      subject,
    });
  }
}
