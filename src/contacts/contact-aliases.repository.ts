import { Injectable } from '@nestjs/common';
import { violatedConstraint } from '../database/database-error.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { type AliasKind, ContactAlias } from './contact-alias.entity.js';

/** The values that identify an alias in its organization. */
export type AliasAddress = Pick<ContactAlias, 'kind' | 'value'>;

@Injectable()
export class ContactAliasesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the aliases of a contact: e-mail addresses first, each kind in the order of its values. */
  async list(organizationId: string, contactId: string): Promise<ContactAlias[]> {
    return await this.tenants.repository(organizationId, ContactAlias).find({
      where: { organizationId, contactId },
      order: { kind: 'ASC', value: 'ASC' },
    });
  }

  /**
   * Inserts an alias. Returns false when the address belongs to a contact already. The transaction then stays usable.
   */
  async insert(
    organizationId: string,
    contactId: string,
    { kind, value }: AliasAddress,
  ): Promise<boolean> {
    try {
      // Without this savepoint, a taken address would abort the whole transaction, which may belong to a step of a run.
      await this.tenants.savepoint(organizationId, () =>
        this.tenants
          .session(organizationId)
          .query(
            'insert into contact_aliases (organization_id, kind, value, contact_id) values ($1, $2, $3, $4)',
            [organizationId, kind, value, contactId],
          ),
      );
      return true;
    } catch (error) {
      if (violatedConstraint(error) === 'contact_aliases_pkey') return false;
      throw error;
    }
  }

  /** Deletes an alias. Returns false when the contact has no such alias. */
  async delete(
    organizationId: string,
    contactId: string,
    { kind, value }: { kind: AliasKind; value: string },
  ): Promise<boolean> {
    const { affected } = await this.tenants
      .repository(organizationId, ContactAlias)
      .delete({ organizationId, kind, value, contactId });
    return affected === 1;
  }
}
