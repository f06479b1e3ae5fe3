import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { IdempotencyKey } from './idempotency-key.entity.js';

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Claims the key and returns undefined, or returns the earlier call that holds it. Waits while that call is still
   * running in another transaction; if it fails there, the key is free again and this call gets it.
   */
  async claim(
    organizationId: string,
    tool: string,
    key: string,
    fingerprint: Buffer,
  ): Promise<IdempotencyKey | undefined> {
    const keys = this.tenants.session(organizationId).repository(IdempotencyKey);
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

  /** The call that carried the key under one of these names. One that is still running is not seen. */
  async find(
    organizationId: string,
    tools: readonly string[],
    key: string,
  ): Promise<IdempotencyKey | undefined> {
    const found = await this.tenants
      .session(organizationId)
      .repository(IdempotencyKey)
      .findOneBy({ organizationId, tool: In(tools), key });
    return found ?? undefined;
  }

  async complete(organizationId: string, tool: string, key: string, result: object): Promise<void> {
    await this.tenants
      .session(organizationId)
      .repository(IdempotencyKey)
      .update({ organizationId, tool, key }, { result });
  }

  /** Gives the key of a call free that failed; that of a call that is complete stays. */
  async release(organizationId: string, tool: string, key: string): Promise<void> {
    await this.tenants
      .session(organizationId)
      .repository(IdempotencyKey)
      .delete({ organizationId, tool, key, result: IsNull() });
  }
}
