import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import type { NamedSegment } from '../contacts/segment-nodes.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import { Segment } from './segment.entity.js';

/** The fields of a segment that a caller sets. */
export type SegmentContent = Pick<
  Segment,
  'name' | 'description' | 'kind' | 'filters' | 'uses' | 'timed'
>;

/**
 * The SET clause of an UPDATE after which workers compare all contacts with the segment again. This comparison emits no
 * events.
 */
const BASELINE = `baseline = true, sweep_at = now(), position = '', sweep_ms = 0`;

/**
 * Stores segments, and publishes each change after its commit. Every method needs a transaction of the organization.
 */
@Injectable()
export class SegmentsRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  async insert(organizationId: string, id: string, content: SegmentContent): Promise<void> {
    const { name, description, kind, filters, uses, timed } = content;
    await this.session(organizationId).query(
      `insert into segments (organization_id, id, name, description, kind, filters, uses, timed, baseline, sweep_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $5 = 'dynamic', case $5 when 'dynamic' then now() end)`,
      [
        organizationId,
        id,
        name,
        description,
        kind,
        filters && JSON.stringify(filters),
        uses,
        timed,
      ],
    );
    if (kind === 'dynamic') {
      await this.session(organizationId).query(
        'insert into segment_evaluations (organization_id) values ($1) on conflict do nothing',
        [organizationId],
      );
    }
    this.publish(organizationId, id);
  }

  async rename(
    organizationId: string,
    id: string,
    { name, description }: Pick<Segment, 'name' | 'description'>,
  ): Promise<void> {
    await this.session(organizationId).query(
      `update segments set name = $3, description = $4, updated_at = now() where organization_id = $1 and id = $2`,
      [organizationId, id, name, description],
    );
    this.publish(organizationId, id);
  }

  async setFilters(
    organizationId: string,
    id: string,
    { filters, uses, timed }: Pick<Segment, 'filters' | 'uses' | 'timed'>,
  ): Promise<void> {
    await this.session(organizationId).query(
      `update segments set filters = $3, uses = $4, timed = $5, updated_at = now(), ${BASELINE}
       where organization_id = $1 and id = $2`,
      [organizationId, id, JSON.stringify(filters), uses, timed],
    );
    this.publish(organizationId, id);
  }

  /**
   * Makes workers compare all contacts with the segment again. The caller must call this method after a change of
   * another segment to which the filters of this segment refer.
   */
  async restart(organizationId: string, id: string, timed: boolean): Promise<void> {
    await this.session(organizationId).query(
      `update segments set timed = $3, ${BASELINE} where organization_id = $1 and id = $2`,
      [organizationId, id, timed],
    );
    this.publish(organizationId, id);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    await this.tenants.repository(organizationId, Segment).delete({ organizationId, id });
    this.publish(organizationId, id);
  }

  async find(organizationId: string, id: string): Promise<Segment | null> {
    return await this.tenants.repository(organizationId, Segment).findOneBy({ organizationId, id });
  }

  /**
   * Locks all segments until the transaction ends, and returns the segment with this id. A change of a segment also
   * writes the segments that depend on it. The worker locks segments in the same order. Otherwise the change and the
   * worker could wait for each other.
   */
  async findForUpdate(organizationId: string, id: string): Promise<Segment | null> {
    const segments = await this.tenants
      .repository(organizationId, Segment)
      .createQueryBuilder('segment')
      .where({ organizationId })
      .orderBy('segment.id')
      .setLock('for_no_key_update')
      .getMany();
    return segments.find((segment) => segment.id === id) ?? null;
  }

  /** Locks a segment, so that nobody can delete it until the transaction ends. Returns true if the segment exists. */
  async keep(organizationId: string, id: string): Promise<boolean> {
    const rows = await this.session(organizationId).query(
      'select 1 as one from segments where organization_id = $1 and id = $2 for key share',
      [organizationId, id],
    );
    return rows.length > 0;
  }

  async count(organizationId: string): Promise<number> {
    return await this.tenants.repository(organizationId, Segment).countBy({ organizationId });
  }

  /** Returns at most `limit` segments that are older than `before`, newest first. */
  async list(
    organizationId: string,
    before: TimePosition | undefined,
    limit: number,
  ): Promise<Segment[]> {
    const query = this.tenants
      .repository(organizationId, Segment)
      .createQueryBuilder('segment')
      .where('segment.organizationId = :organizationId', { organizationId })
      .orderBy('segment.createdAt', 'DESC')
      .addOrderBy('segment.id', 'DESC')
      .limit(limit);
    if (before) query.andWhere('(segment.createdAt, segment.id) < (:at, :id)', before);
    return await query.getMany();
  }

  /** Returns the other segments whose filters name this segment, directly or through other segments. */
  async findDependents(organizationId: string, id: string): Promise<NamedSegment[]> {
    return await this.session(organizationId).query<NamedSegment>(
      `with recursive dependents as (
         select s.id, s.uses from segments s where s.organization_id = $1 and $2 = any(s.uses)
         union
         select s.id, s.uses from dependents d
         join segments s on s.organization_id = $1 and d.id = any(s.uses)
       )
       select s.id, s.name, s.filters from segments s
       where s.organization_id = $1 and s.id <> $2 and s.id in (select d.id from dependents d)`,
      [organizationId, id],
    );
  }

  /** Returns the names of at most `limit` workflows that the segment starts. */
  async findWorkflows(organizationId: string, id: string, limit: number): Promise<string[]> {
    const rows = await this.session(organizationId).query<{ name: string }>(
      `select name from workflows
       where organization_id = $1 and trigger_event in ('segment.entered', 'segment.left')
         and trigger_options ->> 'segment' = $2 and deleted_at is null
       order by name limit $3`,
      [organizationId, id, limit],
    );
    return rows.map(({ name }) => name);
  }

  private session(organizationId: string) {
    return this.tenants.session(organizationId);
  }

  private publish(organizationId: string, id: string): void {
    this.changes.publish(organizationId, resourceChange('segments', id));
  }
}
