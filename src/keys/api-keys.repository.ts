import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { GateDatabase } from '../database/gate-database.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { NamedPolicy } from '../policies/tool-policies.js';
import { ApiKey } from './api-key.entity.js';

export interface FoundKey {
  id: string;
  organization_id: string;
  /** Whether `last_used_at` is older than it should be. */
  stale: boolean;
  /** Of the organization; null where it has none. */
  policies: NamedPolicy[] | null;
  /** Revision of the tools that the organization has made; null where it has none. */
  offered_revisions: string | null;
}

@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly gate: GateDatabase,
  ) {}

  /** Makes all other changes of the organization's keys wait until this transaction ends. */
  async lock(organizationId: string): Promise<void> {
    // NO KEY UPDATE waits for its like only: rows that refer to the organization can still be added meanwhile.
    await this.tenants
      .manager(organizationId)
      .query('select from organizations where id = $1 for no key update', [organizationId]);
  }

  async findActive(organizationId: string): Promise<ApiKey | null> {
    return await this.tenants
      .manager(organizationId)
      .findOneBy(ApiKey, { organizationId, revokedAt: IsNull() });
  }

  async revokeActive(organizationId: string): Promise<void> {
    await this.tenants
      .manager(organizationId)
      .update(ApiKey, { organizationId, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
  }

  async insert(
    organizationId: string,
    key: Pick<ApiKey, 'id' | 'hash' | 'prefix' | 'lastFour' | 'createdBy'>,
  ): Promise<void> {
    await this.tenants.manager(organizationId).insert(ApiKey, { ...key, organizationId });
  }

  /** The active keys with these hashes, of whichever organization, by the names that the hashes are given under. */
  async findByHashes(hashes: ReadonlyMap<string, Buffer>): Promise<Map<string, FoundKey>> {
    const names = [...hashes.keys()];
    const found = await this.gate.callForEach<FoundKey>('find_api_key', [...hashes.values()]);
    return new Map(found.map((key) => [names[key.position]!, key]));
  }

  async touch(organizationId: string, id: string): Promise<void> {
    await this.gate.call('touch_api_key', [organizationId, id]);
  }
}
