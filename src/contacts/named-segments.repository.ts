import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { NamedSegment } from './segment-nodes.js';

/** Finds the segments that conditions name. Every method needs a transaction of the organization. */
@Injectable()
export class NamedSegmentsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the segments that have one of these ids or names. */
  async find(organizationId: string, idsOrNames: readonly string[]): Promise<NamedSegment[]> {
    return await this.tenants
      .session(organizationId)
      .query<NamedSegment>(
        `select id, name, filters from segments where organization_id = $1 and (id = any($2) or name = any($2))`,
        [organizationId, idsOrNames],
      );
  }
}
