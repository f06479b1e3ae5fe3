import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Claim } from '../queue/leased-work.js';
import { ContactImport } from './import.entity.js';
import type { ImportCounts } from './imports.repository.js';

/** Stores the progress of claimed imports. Every method needs a transaction of the organization. */
@Injectable()
export class ImportClaimsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Finds the import of a claim, unless the claim was lost. */
  async findClaimed({ organizationId, id, epoch }: Claim): Promise<ContactImport | null> {
    return await this.tenants
      .repository(organizationId, ContactImport)
      .findOneBy({ organizationId, id, epoch, status: 'running' });
  }

  /** Stores that a chunk is done. Returns false when the claim was lost; then the transaction must be rolled back. */
  async advance(
    { organizationId, id, epoch }: Claim,
    processed: number,
    counts: ImportCounts,
  ): Promise<boolean> {
    const { created, updated, unchanged, skipped, duplicate, failed } = counts;
    const rows = await this.session(organizationId).query(
      `update imports set next_chunk = next_chunk + 1, attempts = 0, processed = processed + $4, created = created + $5,
         updated = updated + $6, unchanged = unchanged + $7, skipped = skipped + $8, duplicate = duplicate + $9,
         failed = failed + $10
       where organization_id = $1 and id = $2 and epoch = $3 and status = 'running' returning id`,
      [
        organizationId,
        id,
        epoch,
        processed,
        created,
        updated,
        unchanged,
        skipped,
        duplicate,
        failed,
      ],
    );
    return rows.length === 1;
  }

  /**
   * Ends the lease of the claim, unless the claim was lost. From now on, the running imports of the organization come
   * after the waiting imports of other organizations.
   */
  async endTurn({ organizationId, id, epoch }: Claim): Promise<void> {
    const session = this.session(organizationId);
    // Without a new epoch, a renewal that began before this statement would extend the lease again. Then no worker
    // could claim the import until the lease ends.
    await session.query(
      `update imports set lease_until = now(), epoch = epoch + 1
       where organization_id = $1 and id = $2 and epoch = $3 and status = 'running'`,
      [organizationId, id, epoch],
    );
    // Imports wait in the order of lease_until. When it is null, started_at counts. Without this update, the next
    // import of this organization would come before all others.
    await session.query(
      `with waiting as materialized (
         select w.id from imports w
         where w.organization_id = $1 and w.status = 'running' and w.lease_until is null
         for update skip locked
       ) update imports i set lease_until = now() from waiting where i.organization_id = $1 and i.id = waiting.id`,
      [organizationId],
    );
  }

  private session(organizationId: string) {
    return this.tenants.session(organizationId);
  }
}
