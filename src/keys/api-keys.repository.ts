import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { type ActingSession, rethrowEnded } from '../accounts/acting-session.js';
import { originJson } from '../accounts/request-origin.js';
import { GateDatabase } from '../database/gate-database.js';
import { GateLookUps } from '../database/gate-look-ups.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { NamedPolicy } from '../policies/tool-policies.js';
import { ApiKey } from './api-key.entity.js';
import type { KeyOptions } from './key-options.js';

export interface FoundKey {
  id: string;
  organization_id: string;
  /** True when `last_used_at` needs an update. */
  stale: boolean;
  /** The policies of the organization; null when there are none. */
  policies: NamedPolicy[] | null;
  /** The revision of the organization's offered tools, or null when there are none. */
  offered_revisions: string | null;
  read_only: boolean;
  /** The tools that the key may call; null when it may call every tool. */
  tools: string[] | null;
  revoked_at: Date | null;
  /** The time at which the key expired. Null when the key was revoked. */
  expired_at: Date | null;
}

/** The origin of the requests with a key. Each text is short and has no control characters. */
export interface KeyUse {
  address?: string;
  /** The User-Agent. */
  agent?: string;
  /** The name and version that the MCP client gave. */
  client?: string;
}

/** The columns that the tenant role may read. Only functions of the gate see the hash. */
const READABLE = {
  id: true,
  prefix: true,
  lastFour: true,
  createdBy: true,
  createdAt: true,
  expiresAt: true,
  readOnly: true,
  tools: true,
  lastUsedAt: true,
  lastUsedAddress: true,
  lastUsedAgent: true,
  lastUsedClient: true,
} as const satisfies Partial<Record<keyof ApiKey, true>>;
type DescribedKey = Pick<ApiKey, keyof typeof READABLE>;

@Injectable()
export class ApiKeysRepository {
  private readonly lookUps: GateLookUps<[hash: Buffer], FoundKey>;

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly gate: GateDatabase,
  ) {
    this.lookUps = new GateLookUps(gate, 'find_api_key', ['bytea']);
  }

  async findActive(organizationId: string): Promise<DescribedKey | null> {
    return await this.tenants
      .repository(organizationId, ApiKey)
      .findOne({ select: READABLE, where: { organizationId, revokedAt: IsNull() } });
  }

  /** Stores a key, revokes the previous key and adds the audit log entry, in one statement. */
  async create(
    organizationId: string,
    userId: string,
    key: Pick<ApiKey, 'id' | 'hash' | 'prefix' | 'lastFour'>,
    { expiresAt, readOnly, tools }: KeyOptions,
    session?: ActingSession,
  ): Promise<void> {
    const { id, hash, prefix, lastFour } = key;
    const options = [expiresAt, readOnly, tools];
    const values = [organizationId, userId, id, hash, prefix, lastFour, ...options];
    values.push(originJson(session?.origin), session?.digest ?? null);
    await this.gate.callFor(organizationId, 'create_api_key', values).catch(rethrowEnded);
  }

  /** Revokes the active key and adds the audit log entry, in one statement. Returns false when there was no key. */
  async revoke(organizationId: string, userId: string, session: ActingSession): Promise<boolean> {
    const values = [organizationId, userId, originJson(session.origin), session.digest];
    const revoked = this.gate.callFor(organizationId, 'revoke_api_key', values);
    return (await revoked.catch(rethrowEnded)).length > 0;
  }

  /**
   * Returns the key with this hash, of any organization, even if it was revoked or has expired. Look-ups at the same
   * moment share one statement. This statement begins after the request has arrived, so it sees every revocation that
   * was confirmed before the request.
   */
  async findByHash(hash: Buffer): Promise<FoundKey | undefined> {
    return await this.lookUps.find(hash);
  }

  async touch(organizationId: string, id: string, use: KeyUse): Promise<void> {
    const { address = null, agent = null, client = null } = use;
    const values = [organizationId, id, address, agent, client];
    await this.gate.callForClient(`uses of ${organizationId}`, 'touch_api_key', values);
  }
}
