import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { currentContactId } from '../../contacts/contact-statements.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { TimePosition } from '../../paging/paging.js';
import type { RunFilter } from './run-filter.js';
import { Run, RUN_STATUSES, type RunStatus } from '../journal/run.entity.js';

/**
 * The largest number of runs that one page scans when no index covers the whole filter. So a page that is not the last
 * may have fewer runs than its limit, even none.
 */
const MAX_SCANNED = 5000;

const IN_PAGE = `created_at >= $8 and created_at < $9 and (created_at, id) < ($12, $13)
  order by created_at desc, id desc limit $14`;
const scan = (condition: string): string =>
  `select * from workflow_runs where organization_id = $1 and ${condition} and ${IN_PAGE}`;
// Each status has its own scan, because the index sorts runs by status first. A single scan would read many runs for a
// rare status.
const scanStatuses = (condition: string): string =>
  `select r.* from unnest($2::text[]) as s (status)
   cross join lateral (${scan(`${condition} and status = s.status`)}) r
   order by r.created_at desc, r.id desc limit $14`;

/** Selects the newest runs by contact, by reason, or by status. Each query reads one index in order. */
const SOURCES = {
  contact: scan(`contact_id = ${currentContactId('$4::text')}`),
  reason: scan('reason = $5'),
  workflow: scanStatuses('workflow_id = $3'),
  status: scanStatuses('true'),
};

/**
 * The reasons that end with a step id, such as `stopped:send`. Without the id, a filter matches many stored reasons,
 * and no index has the runs of all these reasons in one order.
 */
const REASON_PREFIXES = new Set(['step_failed', 'stopped', 'returned']);

interface ScannedRun {
  id: string;
  created_at: Date;
  matches: boolean;
  number: string;
}

@Injectable()
export class RunSearchRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns at most `limit` runs that come after the run `after`. `next` is undefined on the last page. */
  async find(
    organizationId: string,
    filter: RunFilter,
    after: TimePosition | undefined,
    limit: number,
  ): Promise<{ found: TimePosition[]; next: TimePosition | undefined }> {
    const source = sourceOf(filter);
    const window = isExact(filter, source) ? limit + 1 : MAX_SCANNED;
    const scanned = await this.tenants.session(organizationId).query<ScannedRun>(
      `select id, created_at, matches, number from (
         select w.id, w.created_at, row_number() over (order by w.created_at desc, w.id desc) as number,
           w.status = any($2) and ($3::text is null or w.workflow_id = $3) and ($4::text is null or w.contact_id = ${currentContactId('$4::text')})
             and ($5::text is null or w.reason = $5 or starts_with(w.reason, $5 || ':'))
             and ($6::text is null or w.trigger_type = $6)
             and ($7::boolean or coalesce(w.finished_at >= $10 and w.finished_at < $11, false)) as matches
         from (${SOURCES[source]}) w
       ) scanned
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
        // A run that finished before a time was also created before that time.
        earliest(filter.createdBefore, filter.finishedBefore) ?? 'infinity',
        filter.finishedAfter ?? '-infinity',
        filter.finishedBefore ?? 'infinity',
        after?.at ?? 'infinity',
        after?.id ?? '',
        window,
        limit + 1,
      ],
    );
    const matching = scanned.filter(({ matches }) => matches);
    const page = matching.slice(0, limit);
    const isFull = matching.length > limit;
    const last = isFull ? page.at(-1) : scanned.find(({ number }) => Number(number) === window);
    return { found: page.map(positionOf), next: last && positionOf(last) };
  }

  async read(organizationId: string, ids: readonly string[]): Promise<Run[]> {
    if (ids.length === 0) return [];
    return await this.tenants
      .session(organizationId)
      .repository(Run)
      .find({
        where: { organizationId, id: In([...ids]) },
        order: { createdAt: 'DESC', id: 'DESC' },
      });
  }

  /**
   * Returns ids that start with the text, newest first. Ignores case. Searches only the newest 1000 runs, or the newest
   * 1000 runs with the given status.
   */
  async idsStartingWith(
    organizationId: string,
    text: string,
    status: RunStatus | undefined,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.tenants.session(organizationId).query<{ id: string }>(
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

function positionOf({ created_at: at, id }: ScannedRun): TimePosition {
  return { at, id };
}

function earliest(...times: (Date | undefined)[]): Date | undefined {
  return times.filter((time) => time !== undefined).toSorted((a, b) => Number(a) - Number(b))[0];
}

function sourceOf(filter: RunFilter): keyof typeof SOURCES {
  if (filter.contactId !== undefined) return 'contact';
  if (filter.reason !== undefined && !REASON_PREFIXES.has(filter.reason)) return 'reason';
  return filter.workflowId === undefined ? 'status' : 'workflow';
}

/** Returns true when the query of the source applies the whole filter. */
function isExact(filter: RunFilter, source: keyof typeof SOURCES): boolean {
  const { workflowId, statuses, reason, triggerType, finishedAfter, finishedBefore } = filter;
  const isByState = source === 'status' || source === 'workflow';
  return (
    triggerType === undefined &&
    finishedAfter === undefined &&
    finishedBefore === undefined &&
    (isByState || (statuses.length === RUN_STATUSES.length && workflowId === undefined)) &&
    (reason === undefined || source === 'reason')
  );
}
