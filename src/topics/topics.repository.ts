import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { Topic } from './topic.entity.js';

export type TopicFields = Pick<Topic, 'name' | 'title' | 'description' | 'optedIn' | 'doubleOptIn'>;

/** Reads and writes topics. Every method needs a transaction of the organization. */
@Injectable()
export class TopicsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  find(organizationId: string, name: string): Promise<Topic | null> {
    return this.rows(organizationId).findOneBy({ organizationId, name });
  }

  /**
   * Finds the topic and locks its row until the transaction ends. Rows that reference the topic can still be written.
   */
  findForUpdate(organizationId: string, name: string): Promise<Topic | null> {
    return this.rows(organizationId).findOne({
      where: { organizationId, name },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Returns at most `limit` topics in the order of their names. */
  list(organizationId: string, limit: number): Promise<Topic[]> {
    return this.rows(organizationId).find({
      where: { organizationId },
      order: { name: 'ASC' },
      take: limit,
    });
  }

  async count(organizationId: string): Promise<number> {
    return await this.rows(organizationId).countBy({ organizationId });
  }

  /** Inserts the topic. Returns false when its name is taken. */
  async insert(organizationId: string, fields: TopicFields): Promise<boolean> {
    const { name, title, description, optedIn, doubleOptIn } = fields;
    const rows = await this.tenants.session(organizationId).query(
      `insert into topics (organization_id, name, title, description, opted_in, double_opt_in)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning name`,
      [organizationId, name, title, description, optedIn, doubleOptIn],
    );
    return rows.length === 1;
  }

  async update(
    organizationId: string,
    { name, title, description, optedIn, doubleOptIn }: TopicFields,
  ): Promise<void> {
    await this.rows(organizationId).update(
      { organizationId, name },
      { title, description, optedIn, doubleOptIn, updatedAt: () => 'now()' },
    );
  }

  /** Deletes a topic. Returns false when there is no such topic. */
  async delete(organizationId: string, name: string): Promise<boolean> {
    return (await this.rows(organizationId).delete({ organizationId, name })).affected === 1;
  }

  private rows(organizationId: string): Repository<Topic> {
    return this.tenants.repository(organizationId, Topic);
  }
}
