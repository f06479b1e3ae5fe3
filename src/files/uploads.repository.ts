import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { StoredFile } from './file.entity.js';

/** Stores uploads while they arrive. Every method needs a transaction of the organization. */
@Injectable()
export class UploadsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the number of files that are arriving. */
  async countOpen(organizationId: string): Promise<number> {
    const [row] = await this.tenants.session(organizationId).query<{ count: number }>(
      `select cast(count(*) as integer) as count from files
         where organization_id = $1 and run_id is null and is_uploading`,
      [organizationId],
    );
    return row!.count;
  }

  async begin(
    organizationId: string,
    { id, name, contentType }: Pick<StoredFile, 'id' | 'name' | 'contentType'>,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `insert into files (organization_id, id, name, content_type, size, sha256, is_uploading)
       values ($1, $2, $3, $4, 0, '', true)`,
      [organizationId, id, name, contentType],
    );
  }

  async finish(
    organizationId: string,
    id: string,
    { size, sha256 }: Pick<StoredFile, 'size' | 'sha256'>,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update files set size = $3, sha256 = $4, is_uploading = false
       where organization_id = $1 and id = $2 and is_uploading`,
      [organizationId, id, size, sha256],
    );
  }

  /** Deletes a file whose upload failed. */
  async abandon(organizationId: string, id: string): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query('delete from files where organization_id = $1 and id = $2 and is_uploading', [
        organizationId,
        id,
      ]);
  }
}
