import { Injectable, Logger } from '@nestjs/common';
import type { Actor } from '../accounts/account.js';
import { AuditLog } from '../accounts/audit-log.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { newId } from '../text/ids.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { ToolPolicies } from '../policies/tool-policies.js';
import { hashApiKey, isApiKey, newApiKey } from './api-key-format.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { AuthenticatedKey } from './authenticated-key.js';
import { KeyLookUps } from './key-look-ups.js';

const PREFIX_LENGTH = 8;

/** A key as `GET /api/mcp/keys` shows it; the secret is not part of it. */
export interface ApiKeyView {
  prefix: string;
  last_four: string;
  created_at: string;
  created_by: string | null;
  last_used_at: string | null;
}

@Injectable()
export class KeysService {
  private readonly logger = new Logger(KeysService.name);

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly lookUps: KeyLookUps,
    private readonly tenants: TenantDatabase,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly failpoints: Failpoints,
  ) {}

  /** Makes the organization's one key and revokes the one before, both or neither. Returns the raw key, once. */
  async create(organizationId: string, actor: Actor): Promise<string> {
    const raw = newApiKey();
    const id = newId('key');
    await this.tenants.transaction(organizationId, async () => {
      await this.keys.lock(organizationId);
      await this.keys.revokeActive(organizationId);
      await this.failpoints.reach('after revocation, before new key', organizationId);
      await this.keys.insert(organizationId, {
        id,
        hash: hashApiKey(raw),
        prefix: raw.slice(0, PREFIX_LENGTH),
        lastFour: raw.slice(-4),
        createdBy: actor.kind === 'user' ? actor.id : null,
      });
      await this.audit.record(organizationId, actor, 'create_api_key', id);
      this.changes.publish(organizationId, { kind: 'keys' });
    });
    return raw;
  }

  /** Revokes the organization's key, if there is one. It is refused everywhere once this returns. */
  async revoke(organizationId: string, actor: Actor): Promise<void> {
    await this.tenants.transaction(organizationId, async () => {
      await this.keys.lock(organizationId);
      const active = await this.keys.findActive(organizationId);
      if (!active) return;
      await this.keys.revokeActive(organizationId);
      await this.audit.record(organizationId, actor, 'revoke_api_key', active.id);
      this.changes.publish(organizationId, { kind: 'keys' });
    });
  }

  async describe(organizationId: string): Promise<ApiKeyView | null> {
    const key = await this.tenants.transaction(
      organizationId,
      () => this.keys.findActive(organizationId),
      { readOnly: true },
    );
    return (
      key && {
        prefix: key.prefix,
        last_four: key.lastFour,
        created_at: key.createdAt.toISOString(),
        created_by: key.createdBy,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      }
    );
  }

  /**
   * The key behind the raw text, or undefined when it is unknown, revoked or no key at all. Asked of the database
   * each time: a cache would go on accepting a key that was revoked a moment ago. The policies of its organization
   * come along in the same answer.
   */
  async authenticate(raw: string): Promise<AuthenticatedKey | undefined> {
    return isApiKey(raw) ? await this.find(hashApiKey(raw)) : undefined;
  }

  /** A key that was let in, as it is now; undefined when it was revoked since. */
  async renew({ hash }: AuthenticatedKey): Promise<AuthenticatedKey | undefined> {
    return await this.find(hash);
  }

  private async find(hash: Buffer): Promise<AuthenticatedKey | undefined> {
    const found = await this.lookUps.find(hash);
    if (!found) return undefined;
    if (found.stale) {
      this.keys
        .touch(found.organization_id, found.id)
        .catch((error: Error) => this.logger.warn(`last_used_at was not kept: ${error.message}`));
    }
    return {
      id: found.id,
      organizationId: found.organization_id,
      hash,
      toolPolicies: ToolPolicies.of(found.policies),
      offeredToolsRevision: found.offered_revisions ?? '',
    };
  }
}
