import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { RunLimit } from '../definitions/run-limits.js';

/** The keys by which the limits of a workflow count a run. */
export interface RunKeys {
  /** Null when later starts do not delay the run. */
  debounceKey: string | null;
  debounceSeconds: number | null;
  /** Null when the workflow has no limit per key. */
  slotKey: string | null;
}

@Injectable()
export class RunLimitsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Stores the limit that delays a new run first, and the limit keys of the run. For a refused run it stores the keys only,
   * because a retry needs them.
   */
  async delay(organizationId: string, id: string, first: RunLimit, keys: RunKeys): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update workflow_runs set limited = true, debounce_key = $4, slot_key = $6,
         delayed_by = case when status = 'queued' then $3 end,
         reason = case when status <> 'queued' then reason when $3 in ('key', 'slot') then 'concurrency' else $3 end,
         delayed_until = case when status = 'queued' then created_at + make_interval(secs => $5) end
       where organization_id = $1 and id = $2`,
      [organizationId, id, first, keys.debounceKey, keys.debounceSeconds, keys.slotKey],
    );
  }
}
