import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { Message } from './message.entity.js';
import type { NewMessage } from './messages.repository.js';

type InboundMessage = NewMessage & Pick<Message, 'externalId'>;

/** Reads and writes the reports of providers: inbound messages, and the ids that providers gave to sent messages. */
@Injectable()
export class ProviderReportsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Inserts an inbound message. Returns undefined when another message of the channel has the same external id. */
  async insertInbound(
    organizationId: string,
    message: InboundMessage,
  ): Promise<Message | undefined> {
    const inserted = await this.rows(organizationId)
      .createQueryBuilder()
      .insert()
      .values({ ...message, organizationId, direction: 'inbound', status: 'received' })
      .orIgnore()
      .returning(['id'])
      .execute();
    if ((inserted.raw as unknown[]).length === 0) return undefined;
    return await this.rows(organizationId).findOneByOrFail({ organizationId, id: message.id });
  }

  findByExternalId(
    organizationId: string,
    channel: string,
    externalId: string,
  ): Promise<Message | null> {
    return this.rows(organizationId).findOneBy({ organizationId, channel, externalId });
  }

  /** Finds the newest message to which a provider gave this id, and locks its row until the transaction ends. */
  async findByProviderMessageId(
    organizationId: string,
    providerMessageId: string,
  ): Promise<Message | null> {
    return await this.rows(organizationId)
      .createQueryBuilder('message')
      .setLock('pessimistic_write')
      .where('message.organizationId = :organizationId', { organizationId })
      .andWhere('message.providerMessageId = :providerMessageId', { providerMessageId })
      .orderBy('message.createdAt', 'DESC')
      .limit(1)
      .getOne();
  }

  private rows(organizationId: string): Repository<Message> {
    return this.tenants.repository(organizationId, Message);
  }
}
