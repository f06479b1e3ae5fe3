import { Injectable } from '@nestjs/common';
import { ArgumentSigner } from '../database/transactions/argument-signer.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { type RetentionKind, RetentionRule } from './retention-rule.entity.js';

@Injectable()
export class RetentionRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly signer: ArgumentSigner,
  ) {}

  async list(organizationId: string): Promise<RetentionRule[]> {
    return await this.tenants.repository(organizationId, RetentionRule).findBy({ organizationId });
  }

  /** Sets the days of a rule. A change makes the rule due immediately, and a worker that is purging loses its claim. */
  async set(organizationId: string, kind: RetentionKind, days: number): Promise<void> {
    if (kind === 'audit_log') return await this.setAuditLog(organizationId, days);
    await this.tenants.session(organizationId).query(
      `insert into retention_rules as r (organization_id, kind, days) values ($1, $2, $3)
       on conflict on constraint retention_rules_pkey do update
         set days = excluded.days, available_at = now(), epoch = r.epoch + 1
       where r.days <> excluded.days`,
      [organizationId, kind, days],
    );
  }

  async delete(organizationId: string, kind: RetentionKind): Promise<void> {
    if (kind === 'audit_log') return await this.setAuditLog(organizationId, null);
    await this.tenants.repository(organizationId, RetentionRule).delete({ organizationId, kind });
  }

  /**
   * Sets the number of days for which the audit log is kept. A function of the database writes this rule, because the
   * tenant role cannot. Otherwise SQL of a tool could have its traces deleted.
   */
  private async setAuditLog(organizationId: string, days: number | null): Promise<void> {
    const command = JSON.stringify({ organization_id: organizationId, days });
    await this.tenants
      .session(organizationId)
      .query('select set_audit_retention($1, $2)', [
        command,
        this.signer.sign('audit retention', command),
      ]);
  }
}
