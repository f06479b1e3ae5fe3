import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { type RetentionKind, RetentionRule } from './retention-rule.entity.js';

@Injectable()
export class RetentionRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async list(organizationId: string): Promise<RetentionRule[]> {
    return await this.tenants.repository(organizationId, RetentionRule).findBy({ organizationId });
  }

  /** Sets the days of a rule. A change makes the rule due at once, and a worker that is purging loses its claim. */
  async set(organizationId: string, kind: RetentionKind, days: number): Promise<void> {
    await this.tenants.session(organizationId).query(
      `insert into retention_rules as r (organization_id, kind, days) values ($1, $2, $3)
       on conflict on constraint retention_rules_pkey do update
         set days = excluded.days, available_at = now(), epoch = r.epoch + 1
       where r.days <> excluded.days`,
      [organizationId, kind, days],
    );
  }

  async delete(organizationId: string, kind: RetentionKind): Promise<void> {
    await this.tenants.repository(organizationId, RetentionRule).delete({ organizationId, kind });
  }
}
