import { Injectable, Logger } from '@nestjs/common';
import { ChangeFeed } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { ToolPolicies } from '../policies/tool-policies.js';
import { newId } from '../text/ids.js';
import { hashApiKey, isApiKey, newApiKey } from './api-key-format.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const PREFIX_LENGTH = 8;

/** Describes the API key of a request, after the bearer guard has found it. */
export interface AuthenticatedKey {
  readonly id: string;
  readonly organizationId: string;
  /** The key is looked up again by this SHA-256 of the raw key. */
  readonly hash: Buffer;
  /** Has the tool policies of the organization from the time of the look-up. */
  readonly toolPolicies: ToolPolicies;
  /** Contains the revision of the organization's offered tools. It is empty when there are none. */
  readonly offeredToolsRevision: string;
}

/** Shows a key in the response of `GET /api/mcp/keys`. It does not contain the secret. */
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
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Creates a key and revokes the previous key in one transaction. Returns the raw key, which is not stored. Throws when
   * the person is not a member of the organization.
   */
  async create(organizationId: string, userId: string): Promise<string> {
    const raw = newApiKey();
    await this.keys.create(organizationId, userId, {
      id: newId('key'),
      hash: hashApiKey(raw),
      prefix: raw.slice(0, PREFIX_LENGTH),
      lastFour: raw.slice(-4),
    });
    this.changes.publish(organizationId, { kind: 'keys' });
    await this.failpoints.reach('after rotation, before response', organizationId);
    return raw;
  }

  /** Revokes the key of the organization, if any. Every process refuses the key after this returns. */
  async revoke(organizationId: string, userId: string): Promise<void> {
    const isRevoked = await this.keys.revoke(organizationId, userId);
    if (isRevoked) this.changes.publish(organizationId, { kind: 'keys' });
  }

  /** Returns the active key without its secret, or null when there is none. */
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
   * Returns the key and the policies of its organization, or undefined when the key is malformed, unknown or revoked.
   * It queries the database each time, because a cache would accept a key that was just revoked.
   */
  async authenticate(raw: string): Promise<AuthenticatedKey | undefined> {
    return isApiKey(raw) ? await this.find(hashApiKey(raw)) : undefined;
  }

  /** Looks the key up again. Returns undefined when it has been revoked. */
  async renew({ hash }: AuthenticatedKey): Promise<AuthenticatedKey | undefined> {
    return await this.find(hash);
  }

  private async find(hash: Buffer): Promise<AuthenticatedKey | undefined> {
    const found = await this.keys.findByHash(hash);
    if (!found) return undefined;
    if (found.stale) {
      this.keys
        .touch(found.organization_id, found.id)
        .catch((error: Error) =>
          this.logger.warn(`Updating last_used_at failed: ${error.message}`),
        );
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
