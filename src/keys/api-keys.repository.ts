import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Batcher } from '../batching/batcher.js';
import { GateDatabase } from '../database/gate-database.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { NamedPolicy } from '../policies/tool-policies.js';
import { ApiKey } from './api-key.entity.js';

export interface FoundKey {
  id: string;
  organization_id: string;
  /** True when `last_used_at` needs an update. */
  stale: boolean;
  /** Has the policies of the organization; null when there are none. */
  policies: NamedPolicy[] | null;
  /** Contains the revision of the organization's offered tools, or null when there are none. */
  offered_revisions: string | null;
}

/** The columns that the tenant role may read. Only functions of the gate see the hash. */
const READABLE = {
  id: true,
  prefix: true,
  lastFour: true,
  createdBy: true,
  createdAt: true,
  lastUsedAt: true,
} as const satisfies Partial<Record<keyof ApiKey, true>>;
type DescribedKey = Pick<ApiKey, keyof typeof READABLE>;

@Injectable()
export class ApiKeysRepository {
  private readonly lookUps = new Batcher<Buffer, ReadonlyMap<string, FoundKey>>((_, hashes) =>
    this.findByHashes(hashes),
  );

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly gate: GateDatabase,
  ) {}

  async findActive(organizationId: string): Promise<DescribedKey | null> {
    return await this.tenants
      .repository(organizationId, ApiKey)
      .findOne({ select: READABLE, where: { organizationId, revokedAt: IsNull() } });
  }

  /** Stores a key, revokes the previous one and writes the audit log, in one statement. */
  async create(
    organizationId: string,
    userId: string,
    key: Pick<ApiKey, 'id' | 'hash' | 'prefix' | 'lastFour'>,
  ): Promise<void> {
    const { id, hash, prefix, lastFour } = key;
    const values = [organizationId, userId, id, hash, prefix, lastFour];
    await this.gate.call('create_api_key', values);
  }

  /** Revokes the active key and writes the audit log, in one statement. Returns false when there was no key. */
  async revoke(organizationId: string, userId: string): Promise<boolean> {
    return (await this.gate.call('revoke_api_key', [organizationId, userId])).length > 0;
  }

  /**
   * Returns the active key with this hash, of any organization. Look-ups of the same moment share one statement. It
   * begins after the request has arrived, so it sees every revocation that was confirmed before.
   */
  async findByHash(hash: Buffer): Promise<FoundKey | undefined> {
    return (await this.lookUps.add('', hash)).result.get(nameOf(hash));
  }

  async touch(organizationId: string, id: string): Promise<void> {
    await this.gate.call('touch_api_key', [organizationId, id]);
  }

  private async findByHashes(hashes: readonly Buffer[]): Promise<Map<string, FoundKey>> {
    const distinct = [...new Map(hashes.map((hash) => [nameOf(hash), hash])).values()];
    const found = await this.gate.callForEach<FoundKey>('find_api_key', distinct);
    return new Map(found.map((key) => [nameOf(distinct[key.position]!), key]));
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('latin1');
}
