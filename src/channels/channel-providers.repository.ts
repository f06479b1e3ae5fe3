import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { ChannelProvider } from './channel-provider.entity.js';

type Changeable = Pick<ChannelProvider, 'name' | 'priority' | 'perSecond' | 'sealed' | 'updatedBy'>;
type NewProvider = Changeable & Pick<ChannelProvider, 'id' | 'channel'>;

@Injectable()
export class ChannelProvidersRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the providers, sorted by channel and then by priority. */
  list(organizationId: string, channel?: string): Promise<ChannelProvider[]> {
    return this.rows(organizationId).find({
      where: { organizationId, ...(channel !== undefined && { channel }) },
      order: { channel: 'ASC', priority: 'ASC', id: 'ASC' },
    });
  }

  find(organizationId: string, id: string): Promise<ChannelProvider | null> {
    return this.rows(organizationId).findOneBy({ organizationId, id });
  }

  async insert(organizationId: string, provider: NewProvider): Promise<void> {
    await this.rows(organizationId).insert({ ...provider, organizationId });
  }

  async update(organizationId: string, id: string, changes: Partial<Changeable>): Promise<void> {
    await this.rows(organizationId).update(
      { organizationId, id },
      { ...changes, updatedAt: () => 'now()' },
    );
  }

  /** Deletes a provider. Returns false when there is none with this id. */
  async delete(organizationId: string, id: string): Promise<boolean> {
    const { affected } = await this.rows(organizationId).delete({ organizationId, id });
    return affected === 1;
  }

  private rows(organizationId: string): Repository<ChannelProvider> {
    return this.tenants.repository(organizationId, ChannelProvider);
  }
}
