import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { TimePosition } from '../../paging/paging.js';
import type { RunFilter } from './run-filter.js';
import { Run, RUN_STATUSES, type RunStatus } from '../journal/run.entity.js';

/**
 * How many runs one page looks at where no index knows the whole filter. Few enough for any page to come at once, so a
 * page may hold less than was asked for, even nothing, and still not be the last.
 */
const MOST_LOOKED_AT = 5000;

/** The newest of one contact, for one whole reason, or of certain states; each along the index made for it. */
const ALONG = {
  contact: `
    select r.* from workflow_runs r
    where r.organization_id = $1 and r.contact_id = $4 and r.created_at >= $8 and r.created_at < $9
      and (r.created_at, r.id) < ($12, $13)
    order by r.created_at desc, r.id desc limit $14`,
  reason: `
    select r.* from workflow_runs r
    where r.organization_id = $1 and r.reason = $5 and r.created_at >= $8 and r.created_at < $9
      and (r.created_at, r.id) < ($12, $13)
    order by r.created_at desc, r.id desc limit $14`,
  // State by state, because an index begins with the state: that way the rare ones are found at once too.
  workflow: `
    select r.* from unnest($2::text[]) as s (status) cross join lateral (
      select * from workflow_runs
      where organization_id = $1 and workflow_id = $3 and status = s.status and created_at >= $8 and created_at < $9
        and (created_at, id) < ($12, $13)
      order by created_at desc, id desc limit $14) r
    order by r.created_at desc, r.id desc limit $14`,
  status: `
    select r.* from unnest($2::text[]) as s (status) cross join lateral (
      select * from workflow_runs
      where organization_id = $1 and status = s.status and created_at >= $8 and created_at < $9
        and (created_at, id) < ($12, $13)
      order by created_at desc, id desc limit $14) r
    order by r.created_at desc, r.id desc limit $14`,
};

/** A reason whose part behind the colon is not given stands for many, which no index has in order. */
const KINDS_OF_REASONS = new Set(['step_failed', 'stopped']);

interface Looked {
  id: string;
  created_at: Date;
  matches: boolean;
  number: string;
}

/** Finds runs by what is known of them, the newest first, and never looks at all of them for it. */
@Injectable()
export class RunSearch {
  constructor(private readonly tenants: TenantDatabase) {}

  /** At most `limit` runs after a position, and the position from which to go on, if there may be more. */
  async find(
    organizationId: string,
    filter: RunFilter,
    after: TimePosition | undefined,
    limit: number,
  ): Promise<{ found: TimePosition[]; next: TimePosition | undefined }> {
    const along = sourceOf(filter);
    const window = isExact(filter, along) ? limit + 1 : MOST_LOOKED_AT;
    const looked = await this.tenants.manager(organizationId).query<Looked[]>(
      `select id, created_at, matches, number from (
         select w.id, w.created_at, row_number() over (order by w.created_at desc, w.id desc) as number,
           w.status = any($2) and ($3::text is null or w.workflow_id = $3) and ($4::text is null or w.contact_id = $4)
             and ($5::text is null or w.reason = $5 or starts_with(w.reason, $5 || ':'))
             and ($6::text is null or w.trigger_type = $6)
             and ($7::boolean or coalesce(w.finished_at >= $10 and w.finished_at < $11, false)) as matches
         from (${ALONG[along]}) w
       ) looked
       where matches or number = $14
       order by number limit $15`,
      [
        organizationId,
        filter.statuses,
        filter.workflowId ?? null,
        filter.contactId ?? null,
        filter.reason ?? null,
        filter.triggerType ?? null,
        filter.finishedAfter === undefined && filter.finishedBefore === undefined,
        filter.createdAfter ?? '-infinity',
        // What ended before a time began before it.
        earliest(filter.createdBefore, filter.finishedBefore) ?? 'infinity',
        filter.finishedAfter ?? '-infinity',
        filter.finishedBefore ?? 'infinity',
        after?.at ?? 'infinity',
        after?.id ?? '',
        window,
        limit + 1,
      ],
    );
    const matching = looked.filter(({ matches }) => matches);
    const page = matching.slice(0, limit);
    const isFull = matching.length > limit;
    const last = isFull ? page.at(-1) : looked.find(({ number }) => Number(number) === window);
    return { found: page.map(positionOf), next: last && positionOf(last) };
  }

  /** The runs with these ids, the newest first. */
  async read(organizationId: string, ids: readonly string[]): Promise<Run[]> {
    if (ids.length === 0) return [];
    return await this.tenants.manager(organizationId).find(Run, {
      where: { organizationId, id: In([...ids]) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  /** Ids, among the newest 1000 in the state if one is given, that begin with the text in any case; newest first. */
  async idsStartingWith(
    organizationId: string,
    text: string,
    status: RunStatus | undefined,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.tenants.manager(organizationId).query<{ id: string }[]>(
      `select id from (
         select r.id, r.created_at from unnest($2::text[]) as s (status) cross join lateral (
           select id, created_at from workflow_runs where organization_id = $1 and status = s.status
           order by created_at desc, id desc limit 1000) r
         order by r.created_at desc, r.id desc limit 1000) newest
       where starts_with(lower(id), lower($3)) order by created_at desc, id desc limit $4`,
      [organizationId, status === undefined ? RUN_STATUSES : [status], text, limit],
    );
    return rows.map(({ id }) => id);
  }
}

function positionOf({ created_at: at, id }: Looked): TimePosition {
  return { at, id };
}

function earliest(...times: (Date | undefined)[]): Date | undefined {
  return times.filter((time) => time !== undefined).toSorted((a, b) => Number(a) - Number(b))[0];
}

function sourceOf(filter: RunFilter): keyof typeof ALONG {
  if (filter.contactId !== undefined) return 'contact';
  if (filter.reason !== undefined && !KINDS_OF_REASONS.has(filter.reason)) return 'reason';
  return filter.workflowId === undefined ? 'status' : 'workflow';
}

/** Whether what is looked at along the index is all that the filter asks for. */
function isExact(filter: RunFilter, along: keyof typeof ALONG): boolean {
  const { workflowId, statuses, reason, triggerType, finishedAfter, finishedBefore } = filter;
  const isByState = along === 'status' || along === 'workflow';
  return (
    triggerType === undefined &&
    finishedAfter === undefined &&
    finishedBefore === undefined &&
    (isByState || (statuses.length === RUN_STATUSES.length && workflowId === undefined)) &&
    (reason === undefined || along === 'reason')
  );
}
