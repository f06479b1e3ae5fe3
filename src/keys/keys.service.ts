import { Injectable, Logger } from '@nestjs/common';
import type { ActingSession } from '../accounts/acting-session.js';
import type { RequestOrigin } from '../accounts/request-origin.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { AppError } from '../errors/app-error.js';
import type { KeyRestriction } from '../policies/key-restriction.js';
import { ToolPolicies } from '../policies/tool-policies.js';
import { newId } from '../text/ids.js';
import { hashApiKey, isApiKey, newApiKey } from './api-key-format.js';
import { ApiKeysRepository, type FoundKey, type KeyUse } from './api-keys.repository.js';
import { NO_OPTIONS } from './key-options.js';

const PREFIX_LENGTH = 8;

/** The API key of a request, after the bearer guard has found it. */
export interface AuthenticatedKey {
  readonly id: string;
  readonly organizationId: string;
  /** The SHA-256 of the raw key, by which the key is looked up again. */
  readonly hash: Buffer;
  /** The tool policies of the organization from the time of the look-up. */
  readonly toolPolicies: ToolPolicies;
  /** The revision of the organization's offered tools. Empty when there are none. */
  readonly offeredToolsRevision: string;
  /** The time of `performance.now()` immediately before the look-up. */
  readonly lookedUpAt: number;
  /** True when the last recorded use is older than a minute. */
  readonly isUseStale: boolean;
  /** The origin of the request. Absent after the key was looked up again. */
  readonly origin?: RequestOrigin;
}

/** Describes when and why a key ended. Only callers that send the whole key get this description. */
export interface EndedKey {
  readonly organizationId: string;
  readonly reason: 'revoked' | 'expired';
  readonly endedAt: Date;
}

/** A key in the response of `GET /api/mcp/keys`. It does not contain the secret. */
export interface ApiKeyView {
  prefix: string;
  last_four: string;
  created_at: string;
  created_by: string | null;
  expires_at: string | null;
  read_only: boolean;
  /** The tools that the key may call. When null, it may call every tool. */
  tools: string[] | null;
  last_used_at: string | null;
  last_used_address: string | null;
  /** The name and version of the MCP client, or else the User-Agent. */
  last_used_client: string | null;
}

/** The parts of a key that the client with the key may see. They say nothing about other clients. */
export type CurrentKeyView = Pick<
  ApiKeyView,
  'prefix' | 'last_four' | 'created_at' | 'expires_at' | 'read_only' | 'tools'
>;

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
   * Creates a key and revokes the previous key in one transaction. Returns the raw key, which is not stored. Throws
   * when the person is not a member of the organization. Throws `unauthenticated` when the session has ended.
   */
  async create(
    organizationId: string,
    userId: string,
    options = NO_OPTIONS,
    session?: ActingSession,
  ): Promise<string> {
    const raw = newApiKey();
    const key = {
      id: newId('key'),
      hash: hashApiKey(raw),
      prefix: raw.slice(0, PREFIX_LENGTH),
      lastFour: raw.slice(-4),
    };
    await this.keys.create(organizationId, userId, key, options, session);
    this.changes.publish(organizationId, { kind: 'keys' });
    await this.failpoints.reach('after rotation, before response', organizationId);
    return raw;
  }

  /**
   * Revokes the key of the organization, if any. Every process refuses the key after this method has returned. Throws
   * `unauthenticated` when the session has ended.
   */
  async revoke(organizationId: string, userId: string, session: ActingSession): Promise<void> {
    const isRevoked = await this.keys.revoke(organizationId, userId, session);
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
        expires_at: key.expiresAt?.toISOString() ?? null,
        read_only: key.readOnly,
        tools: key.tools,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
        last_used_address: key.lastUsedAddress,
        last_used_client: key.lastUsedClient ?? key.lastUsedAgent,
      }
    );
  }

  /**
   * Returns the restriction of a key and the time at which it expires. Throws `unauthenticated` when the key was
   * revoked meanwhile.
   */
  async describeCurrent({ id, organizationId }: AuthenticatedKey): Promise<CurrentKeyView> {
    const key = await this.tenants.transaction(
      organizationId,
      () => this.keys.findActive(organizationId),
      { readOnly: true },
    );
    if (key?.id !== id)
      throw new AppError(
        'unauthenticated',
        'This API key was just revoked. Ask an owner for the current key.',
      );
    return {
      prefix: key.prefix,
      last_four: key.lastFour,
      created_at: key.createdAt.toISOString(),
      expires_at: key.expiresAt?.toISOString() ?? null,
      read_only: key.readOnly,
      tools: key.tools,
    };
  }

  /**
   * Returns the key and the policies of its organization. For a key that was revoked or has expired, returns the reason
   * and the time. Returns undefined for a key that is malformed or unknown. Queries the database each time, because a
   * cache would accept a key that was just revoked.
   */
  async authenticate(raw: string): Promise<AuthenticatedKey | EndedKey | undefined> {
    return isApiKey(raw) ? await this.find(hashApiKey(raw)) : undefined;
  }

  /** Looks the key up again. Returns undefined when it has been revoked or has expired. */
  async renew({ hash }: AuthenticatedKey): Promise<AuthenticatedKey | undefined> {
    const found = await this.find(hash);
    if (!found || 'endedAt' in found) return undefined;
    // A client that only listens to a stream sends no other requests, so this look-up counts as a use.
    this.recordUse(found, {});
    return found;
  }

  /** Stores time, address and client of a use, at most once a minute. Does not wait, and a failure is only logged. */
  recordUse({ id, organizationId, isUseStale }: AuthenticatedKey, use: KeyUse): void {
    if (!isUseStale) return;
    this.keys
      .touch(organizationId, id, use)
      .catch((error: Error) => this.logger.warn(`Updating last_used_at failed: ${error.message}`));
  }

  private async find(hash: Buffer): Promise<AuthenticatedKey | EndedKey | undefined> {
    const lookedUpAt = performance.now();
    const found = await this.keys.findByHash(hash);
    if (!found) return undefined;
    const endedAt = found.revoked_at ?? found.expired_at;
    if (endedAt) {
      const reason = found.revoked_at ? 'revoked' : 'expired';
      return { organizationId: found.organization_id, reason, endedAt };
    }
    return {
      id: found.id,
      organizationId: found.organization_id,
      hash,
      lookedUpAt,
      toolPolicies: ToolPolicies.of(found.policies, restrictionOf(found)),
      offeredToolsRevision: found.offered_revisions ?? '',
      isUseStale: found.stale,
    };
  }
}

function restrictionOf({ read_only: readOnly, tools }: FoundKey): KeyRestriction | undefined {
  return readOnly || tools !== null ? { readOnly, tools } : undefined;
}
