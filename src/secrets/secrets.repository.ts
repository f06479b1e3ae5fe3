import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { SecretRow } from './secret.entity.js';

@Injectable()
export class SecretsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the secrets in the order of their names. With `names`, returns only the secrets with these names. */
  async list(organizationId: string, names?: readonly string[]): Promise<SecretRow[]> {
    return await this.tenants.repository(organizationId, SecretRow).find({
      where: { organizationId, ...(names && { name: In(names) }) },
      order: { name: 'ASC' },
    });
  }

  async save(
    organizationId: string,
    secret: Pick<SecretRow, 'name' | 'sealed' | 'updatedBy'>,
  ): Promise<SecretRow> {
    await this.tenants.session(organizationId).query(
      `insert into secrets (organization_id, name, sealed, updated_by) values ($1, $2, $3, $4)
       on conflict on constraint secrets_pkey do update
         set sealed = excluded.sealed, updated_by = excluded.updated_by, updated_at = now()`,
      [organizationId, secret.name, secret.sealed, secret.updatedBy],
    );
    const [saved] = await this.list(organizationId, [secret.name]);
    return saved!;
  }

  /** Deletes a secret. Returns false when there is no such secret. */
  async delete(organizationId: string, name: string): Promise<boolean> {
    const { affected } = await this.tenants
      .repository(organizationId, SecretRow)
      .delete({ organizationId, name });
    return affected === 1;
  }
}
