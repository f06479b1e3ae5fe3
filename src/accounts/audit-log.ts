import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Actor } from './account.js';

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
    this.tenants.defer(organizationId, {
      name: 'switchboard_audit',
      text: `insert into audit_log (organization_id, actor_kind, actor_id, action, subject)
        values ($1, $2, $3, $4, $5)`,
      values: [organizationId, actor.kind, actor.id, action, subject],
    });
  }

  /** Records that the same was done to several things. */
  async recordAll(
    organizationId: string,
    actor: Actor,
    action: string,
    subjects: readonly (string | null)[],
  ): Promise<void> {
    for (const subject of subjects) await this.record(organizationId, actor, action, subject);
  }
}
