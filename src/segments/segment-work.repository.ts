import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Claim } from '../queue/leased-work.js';
import { Segment } from './segment.entity.js';

/** The contacts that were written, taken from the list of changes. */
export interface TakenChanges {
  ids: string[];
  silent: ReadonlySet<string>;
}

/**
 * Stores the progress of the comparison of contacts with segments. Every method needs a transaction of the
 * organization.
 */
@Injectable()
export class SegmentWorkRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Locks the claim. Returns false when the claim was lost. Otherwise no other worker can claim the organization before
   * the commit.
   */
  async fence({ organizationId, epoch }: Claim): Promise<boolean> {
    const rows = await this.session(organizationId).query(
      'select epoch from segment_evaluations where organization_id = $1 and epoch = $2 for update',
      [organizationId, epoch],
    );
    return rows.length > 0;
  }

  /** Ends the work of the claim, unless the claim was lost. Other workers can claim the organization after `pauseMs`. */
  async release({ organizationId, epoch }: Claim, pauseMs: number | null): Promise<void> {
    await this.session(organizationId).query(
      `update segment_evaluations set lease_until = now() + make_interval(secs => $3::float8 / 1000)
       where organization_id = $1 and epoch = $2`,
      [organizationId, epoch, pauseMs],
    );
  }

  /**
   * Takes at most `limit` entries from the list of changed contacts, and returns the contacts. Those in `silent` must
   * start no workflows. Later statements of this transaction see the changes of these contacts.
   */
  async takeChanges(organizationId: string, limit: number): Promise<TakenChanges> {
    const rows = await this.session(organizationId).query<{ contact_id: string; silent: boolean }>(
      `with taken as materialized (
         select c.xid, c.contact_id from segment_changes c where c.organization_id = $1
         order by c.xid, c.contact_id limit $2
       ) delete from segment_changes c using taken
       where c.organization_id = $1 and c.xid = taken.xid and c.contact_id = taken.contact_id
       returning c.contact_id, c.silent`,
      [organizationId, limit],
    );
    const ids = [...new Set(rows.map(({ contact_id: id }) => id))];
    const loud = new Set(rows.filter(({ silent }) => !silent).map(({ contact_id: id }) => id));
    return { ids, silent: new Set(ids.filter((id) => !loud.has(id))) };
  }

  /**
   * Returns the contacts among `ids` that are in the list of changed contacts. The value is true when every entry of the
   * contact is silent.
   */
  async findPending(
    organizationId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, boolean>> {
    if (ids.length === 0) return new Map();
    const rows = await this.session(organizationId).query<{ contact_id: string; silent: boolean }>(
      `select c.contact_id, bool_and(c.silent) as silent from segment_changes c
       where c.organization_id = $1 and c.contact_id = any($2) group by c.contact_id`,
      [organizationId, ids],
    );
    return new Map(rows.map(({ contact_id: id, silent }) => [id, silent]));
  }

  /** Returns the dynamic segments. Their filters do not change before the transaction ends. */
  async lockDynamic(organizationId: string): Promise<Segment[]> {
    return await this.tenants
      .repository(organizationId, Segment)
      .createQueryBuilder('segment')
      .where({ organizationId, kind: 'dynamic' })
      .orderBy('segment.id')
      .setLock('for_no_key_update')
      .getMany();
  }

  /**
   * Returns the segment with which all contacts must be compared first, and locks it. A new segment must wait for older
   * transactions, because they may have written contacts before they could see the segment. Skips segments that are
   * being changed, because a wait for their locks could end in a deadlock.
   */
  async lockDue(organizationId: string): Promise<Segment | null> {
    const session = this.session(organizationId);
    await session.query(
      `with due as materialized (
         select s.id from segments s
         where s.organization_id = $1 and s.sweep_at <= now() and s.barrier is null
         for no key update skip locked
       ) update segments s set barrier = pg_current_xact_id()::text from due
       where s.organization_id = $1 and s.id = due.id`,
      [organizationId],
    );
    return await this.tenants
      .repository(organizationId, Segment)
      .createQueryBuilder('segment')
      .where(
        `segment.organizationId = :organizationId and segment.sweepAt <= now()
         and cast(segment.barrier as xid8) <= pg_snapshot_xmin(pg_current_snapshot())`,
        { organizationId },
      )
      .orderBy('segment.sweepAt')
      .addOrderBy('segment.id')
      .limit(1)
      .setLock('for_no_key_update')
      .setOnLocked('skip_locked')
      .getOne();
  }

  async advance(segment: Segment, position: string, ms: number): Promise<void> {
    await this.session(segment.organizationId).query(
      `update segments set position = $3, sweep_ms = sweep_ms + $4 where organization_id = $1 and id = $2`,
      [segment.organizationId, segment.id, position, ms],
    );
  }

  /**
   * Stores that all contacts were compared. The next comparison begins after `pauseMs`. When `pauseMs` is null, there
   * is no next comparison.
   */
  async finish(segment: Segment, pauseMs: number | null): Promise<void> {
    await this.session(segment.organizationId).query(
      `update segments set baseline = false, position = '', sweep_ms = 0, evaluated_at = now(),
         sweep_at = now() + make_interval(secs => $3::float8 / 1000)
       where organization_id = $1 and id = $2`,
      [segment.organizationId, segment.id, pauseMs],
    );
  }

  /** Stores that the comparison of all contacts with the segment continues at its position after `pauseMs`. */
  async postpone(segment: Segment, pauseMs: number): Promise<void> {
    await this.session(segment.organizationId).query(
      `update segments set sweep_at = now() + make_interval(secs => $3::float8 / 1000)
       where organization_id = $1 and id = $2`,
      [segment.organizationId, segment.id, pauseMs],
    );
  }

  private session(organizationId: string) {
    return this.tenants.session(organizationId);
  }
}
