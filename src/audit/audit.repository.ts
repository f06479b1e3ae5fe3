import { Injectable } from '@nestjs/common';
import {
  Between,
  type EntityTarget,
  type FindOptionsOrder,
  type FindOptionsWhere,
  LessThan,
} from 'typeorm';
import { AuditLogEntry } from '../accounts/audit-log-entry.entity.js';
import type { OrganizationRow } from '../database/organization-row.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import { CallLogRow } from './call-log-row.entity.js';

/** A row of the audit log or of the log of calls. */
interface LogRow extends OrganizationRow {
  at: Date;
  id: string;
}

/**
 * The rows to read: the rows at or after the time `from`, and before the time `until`. With `after`, only the rows
 * after this position.
 */
export interface LogWindow {
  readonly from: Date;
  readonly until: Date;
  readonly after: TimePosition | undefined;
  readonly limit: number;
}

/** Reads the two logs, newest rows first. The primary keys of both tables have this order. */
@Injectable()
export class AuditRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async listEntries(
    organizationId: string,
    window: LogWindow,
    filter: Partial<Pick<AuditLogEntry, 'actorId' | 'outcome' | 'action' | 'subject'>>,
  ): Promise<AuditLogEntry[]> {
    return await this.list(organizationId, AuditLogEntry, window, filter);
  }

  async listCalls(
    organizationId: string,
    window: LogWindow,
    filter: Partial<Pick<CallLogRow, 'callerId' | 'outcome' | 'tool' | 'requestId'>>,
  ): Promise<CallLogRow[]> {
    return await this.list(organizationId, CallLogRow, window, filter);
  }

  private async list<Row extends LogRow>(
    organizationId: string,
    entity: EntityTarget<Row>,
    { from, until, after, limit }: LogWindow,
    filter: object,
  ): Promise<Row[]> {
    const isPast = after && after.at < until;
    // `Between` includes its upper bound. Times have whole milliseconds, so the bound is one millisecond earlier.
    const last = new Date((isPast ? after.at : until).getTime() - 1);
    const base = { ...filter, organizationId };
    const where: object[] = [{ ...base, at: Between(from, last) }];
    // The previous page may have ended between rows of the same time. The remaining rows of this time have smaller ids.
    if (isPast && after.at >= from) where.push({ ...base, at: after.at, id: LessThan(after.id) });
    return await this.tenants.repository(organizationId, entity).find({
      where: where as FindOptionsWhere<Row>[],
      order: { at: 'DESC', id: 'DESC' } as FindOptionsOrder<Row>,
      take: limit,
    });
  }
}
