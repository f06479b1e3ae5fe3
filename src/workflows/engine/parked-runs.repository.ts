import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { ParkedRun } from './parked-run.entity.js';

@Injectable()
export class ParkedRunsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Takes the run off the list, and says whether it was there: of several that try at once, one is told so. */
  async take(organizationId: string, runId: string): Promise<boolean> {
    const deleted = await this.tenants
      .manager(organizationId)
      .delete(ParkedRun, { organizationId, runId });
    return deleted.affected === 1;
  }
}
