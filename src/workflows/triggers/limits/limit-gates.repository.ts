import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../../database/transactions/tenant-database.js';
import type { RunLimit } from '../../definitions/run-limits.js';

/** What a run that was started under limits is counted by. */
export interface RunKeys {
  /** Null: no other start puts it off. */
  debounceKey: string | null;
  debounceSeconds: number | null;
  /** Null: only the runs of the whole workflow are counted. */
  slotKey: string | null;
}

@Injectable()
export class RunLimitsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Puts a new run behind a gate; one that was refused has its keys for when it is retried. */
  async hold(organizationId: string, id: string, first: RunLimit, keys: RunKeys): Promise<void> {
    await this.tenants.manager(organizationId).query(
      `update workflow_runs set limited = true, debounce_key = $4, slot_key = $6,
         delayed_by = case when status = 'queued' then $3 end,
         reason = case when status <> 'queued' then reason when $3 in ('key', 'slot') then 'concurrency' else $3 end,
         delayed_until = case when status = 'queued' then created_at + make_interval(secs => $5) end
       where organization_id = $1 and id = $2`,
      [organizationId, id, first, keys.debounceKey, keys.debounceSeconds, keys.slotKey],
    );
  }
}
