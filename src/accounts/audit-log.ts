import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Actor } from './account.js';

const INSERT = prepared(
  'audit_log_insert',
  `insert into audit_log (organization_id, actor_kind, actor_id, action, subject) values ($1, $2, $3, $4, $5)`,
);

/** Records who changed what, in the transaction of the change, so that neither is committed without the other. */
@Injectable()
export class AuditLog {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Queues an entry. It is sent together with the next statement, or before the commit. */
  async record(
    organizationId: string,
    actor: Actor,
    action: string,
    subject: string | null,
  ): Promise<void> {
    this.tenants
      .session(organizationId)
      .defer(INSERT, [organizationId, actor.kind, actor.id, action, subject]);
  }
}
