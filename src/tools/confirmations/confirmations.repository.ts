import { Injectable } from '@nestjs/common';
import { In, MoreThan, type Repository } from 'typeorm';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { Confirmation, type ConfirmationState } from './confirmation.entity.js';

/** The values that identify a call. Two calls with equal values are the same call. */
export interface CallIdentity {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly tool: string;
  readonly digest: Buffer;
}

/**
 * Reads and writes confirmations, and publishes their changes. Every method needs a transaction of the organization.
 */
@Injectable()
export class ConfirmationsRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns the newest confirmation of a call, even if it has expired. */
  async findNewest({
    organizationId,
    apiKeyId,
    tool,
    digest,
  }: CallIdentity): Promise<Confirmation | null> {
    return await this.rows(organizationId).findOne({
      where: { organizationId, apiKeyId, tool, digest },
      order: { createdAt: 'DESC' },
    });
  }

  async find(organizationId: string, id: string): Promise<Confirmation | null> {
    return await this.rows(organizationId).findOneBy({ organizationId, id });
  }

  /**
   * Returns the newest confirmations first. With `openAt`, returns only those that a person can answer at that time.
   */
  async list(organizationId: string, limit: number, openAt?: Date): Promise<Confirmation[]> {
    const open = openAt && { state: 'pending' as const, expiresAt: MoreThan(openAt) };
    return await this.rows(organizationId).find({
      where: { organizationId, ...open },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
  }

  async countPending(organizationId: string, now: Date): Promise<number> {
    const pending = { organizationId, state: 'pending' as const, expiresAt: MoreThan(now) };
    return await this.rows(organizationId).countBy(pending);
  }

  async insert(
    call: CallIdentity & Pick<Confirmation, 'id' | 'arguments' | 'expiresAt'>,
  ): Promise<void> {
    const { organizationId, id, apiKeyId, tool, arguments: given, digest, expiresAt } = call;
    // An INSERT of TypeORM names every column, but the tenant role may not insert the columns of an answer.
    await this.tenants.session(organizationId).query(
      `insert into confirmations (organization_id, id, api_key_id, tool, arguments, digest, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [organizationId, id, apiKeyId, tool, JSON.stringify(given), digest, expiresAt],
    );
    this.changes.publish(organizationId, resourceChange('confirmations', id));
  }

  /**
   * Changes a confirmation that is in one of the states `from` and has not expired. Returns undefined if there is none.
   * Simultaneous changes wait for each other, and only the first change finds the confirmation in one of these states.
   */
  async change(
    organizationId: string,
    id: string,
    from: readonly ConfirmationState[],
    now: Date,
    change: Pick<Confirmation, 'state'> &
      Partial<Pick<Confirmation, 'expiresAt' | 'answeredAt' | 'answeredBy'>>,
  ): Promise<Confirmation | undefined> {
    const rows = this.rows(organizationId);
    const expected = { organizationId, id, state: In([...from]), expiresAt: MoreThan(now) };
    const { affected } = await rows.update(expected, change);
    if (affected === 0) return undefined;
    this.changes.publish(organizationId, resourceChange('confirmations', id));
    return await rows.findOneByOrFail({ organizationId, id });
  }

  private rows(organizationId: string): Repository<Confirmation> {
    return this.tenants.session(organizationId).repository(Confirmation);
  }
}
