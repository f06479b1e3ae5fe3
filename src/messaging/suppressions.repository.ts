import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import { SuppressedAddress } from './suppressed-address.entity.js';

/**
 * Reads and writes suppressed addresses. Every method needs a transaction of the organization. `MessagePermissionService`
 * decides which messages are suppressed, with a statement of `message-attempt-statements`.
 */
@Injectable()
export class SuppressionsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Stores the address unless it is suppressed already, and returns its row. */
  async insert(
    organizationId: string,
    {
      id,
      channel,
      address,
      reason,
      messageId,
    }: Omit<SuppressedAddress, 'organizationId' | 'createdAt'>,
  ): Promise<SuppressedAddress> {
    await this.tenants.session(organizationId).query(
      `insert into suppressed_addresses (organization_id, id, channel, address, reason, message_id)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
      [organizationId, id, channel, address, reason, messageId],
    );
    const rows = this.tenants.repository(organizationId, SuppressedAddress);
    return await rows.findOneByOrFail({ organizationId, channel, address });
  }

  /** Deletes a suppressed address. Returns false when the address is not suppressed. */
  async delete(organizationId: string, channel: string, address: string): Promise<boolean> {
    const rows = this.tenants.repository(organizationId, SuppressedAddress);
    return (await rows.delete({ organizationId, channel, address })).affected === 1;
  }

  /** Returns at most `limit` suppressed addresses that are older than `position`, newest first. */
  async list(
    organizationId: string,
    channel: string | undefined,
    position: TimePosition | undefined,
    limit: number,
  ): Promise<SuppressedAddress[]> {
    const query = this.tenants
      .repository(organizationId, SuppressedAddress)
      .createQueryBuilder('row')
      .where('row.organizationId = :organizationId', { organizationId })
      .orderBy('row.createdAt', 'DESC')
      .addOrderBy('row.id', 'DESC')
      .limit(limit);
    if (channel !== undefined) query.andWhere('row.channel = :channel', { channel });
    if (position) query.andWhere('(row.createdAt, row.id) < (:at, :id)', { ...position });
    return await query.getMany();
  }
}
