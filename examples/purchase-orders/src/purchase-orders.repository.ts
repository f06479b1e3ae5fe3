import { Injectable } from '@nestjs/common';
import { AppError, TenantDatabase, type TimePosition, violatedConstraint } from 'switchboard';
import { PurchaseOrder } from './purchase-order.entity.js';

export type NewPurchaseOrder = Pick<PurchaseOrder, 'id' | 'title' | 'amount' | 'contactId'>;

@Injectable()
export class PurchaseOrdersRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Throws `not_found` when the organization has no such contact. */
  async insert(organizationId: string, given: NewPurchaseOrder): Promise<PurchaseOrder> {
    const rows = this.tenants.session(organizationId).repository(PurchaseOrder);
    try {
      await rows.insert({ ...given, organizationId });
    } catch (error) {
      if (violatedConstraint(error) === 'purchase_orders_contact_fkey') {
        throw AppError.notFound('contact');
      }
      throw error;
    }
    return await rows.findOneByOrFail({ organizationId, id: given.id });
  }

  /** Returns at most `limit` purchase orders after `position`, newest first. */
  async list(
    organizationId: string,
    filter: { contactId?: string },
    position: TimePosition | undefined,
    limit: number,
  ): Promise<PurchaseOrder[]> {
    const query = this.tenants
      .session(organizationId)
      .repository(PurchaseOrder)
      .createQueryBuilder('row')
      .where('row.organizationId = :organizationId', { organizationId })
      .orderBy('row.createdAt', 'DESC')
      .addOrderBy('row.id', 'DESC')
      .limit(limit);
    if (filter.contactId !== undefined) query.andWhere('row.contactId = :contactId', filter);
    if (position) query.andWhere('(row.createdAt, row.id) < (:at, :id)', { ...position });
    return await query.getMany();
  }
}
