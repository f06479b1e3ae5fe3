import { Injectable } from '@nestjs/common';
import { In, IsNull, type Repository } from 'typeorm';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { IdempotencyKey } from './idempotency-key.entity.js';

/** Stores the keys of calls and their results. `ToolPipeline.reserveKey` refuses a key with other arguments. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Reserves the key and returns undefined. When an earlier call has reserved the key, waits for its transaction and
   * returns its row.
   */
  async reserve(
    organizationId: string,
    tool: string,
    key: string,
    fingerprint: Buffer,
  ): Promise<IdempotencyKey | undefined> {
    const keys = this.keys(organizationId);
    const inserted = await keys
      .createQueryBuilder()
      .insert()
      .values({ organizationId, tool, key, fingerprint })
      .orIgnore()
      .returning('key')
      .execute();
    if ((inserted.raw as unknown[]).length > 0) return undefined;
    return await keys.findOneByOrFail({ organizationId, tool, key });
  }

  async find(
    organizationId: string,
    tools: readonly string[],
    key: string,
  ): Promise<IdempotencyKey | undefined> {
    const found = { organizationId, tool: In(tools), key };
    return (await this.keys(organizationId).findOneBy(found)) ?? undefined;
  }

  async complete(organizationId: string, tool: string, key: string, result: object): Promise<void> {
    await this.keys(organizationId).update({ organizationId, tool, key }, { result });
  }

  /** Deletes the key of a failed call. The key of a complete call stays. */
  async release(organizationId: string, tool: string, key: string): Promise<void> {
    const unfinished = { organizationId, tool, key, result: IsNull() };
    await this.keys(organizationId).delete(unfinished);
  }

  private keys(organizationId: string): Repository<IdempotencyKey> {
    return this.tenants.session(organizationId).repository(IdempotencyKey);
  }
}
