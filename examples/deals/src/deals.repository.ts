import { Injectable } from '@nestjs/common';
import { AppError, TenantDatabase, type TimePosition, violatedConstraint } from 'switchboard';
import { Deal } from './deal.entity.js';

export type NewDeal = Pick<Deal, 'id' | 'title' | 'amount' | 'contactId'>;

@Injectable()
export class DealsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Throws `not_found` when the organization has no such contact. */
  async insert(organizationId: string, deal: NewDeal): Promise<Deal> {
    try {
      await this.tenants
        .session(organizationId)
        .repository(Deal)
        .insert({ ...deal, organizationId });
    } catch (error) {
      if (violatedConstraint(error) === 'deals_contact_fkey') throw AppError.notFound('contact');
      throw error;
    }
    return await this.tenants.session(organizationId).repository(Deal).findOneByOrFail({
      organizationId,
      id: deal.id,
    });
  }

  /** Returns at most `limit` deals after `position`, newest first. */
  async list(
    organizationId: string,
    filter: { contactId?: string },
    position: TimePosition | undefined,
    limit: number,
  ): Promise<Deal[]> {
    const query = this.tenants
      .session(organizationId)
      .repository(Deal)
      .createQueryBuilder('deal')
      .where('deal.organizationId = :organizationId', { organizationId })
      .orderBy('deal.createdAt', 'DESC')
      .addOrderBy('deal.id', 'DESC')
      .limit(limit);
    if (filter.contactId !== undefined) query.andWhere('deal.contactId = :contactId', filter);
    if (position) query.andWhere('(deal.createdAt, deal.id) < (:at, :id)', { ...position });
    return await query.getMany();
  }
}
