import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../accounts/audit-log.js';
import { AppError } from '../../../errors/app-error.js';
import { RateLimiter } from '../../../http/rate-limiter.js';
import { type TimePosition, readTimeCursor, timeCursor } from '../../../paging/paging.js';
import type { ToolCall } from '../../../tools/contract/tool-call.js';
import type { RunStatus } from '../../journal/run.entity.js';
import type { ControlOutcome } from '../run-retries.service.js';
import { type RunFilter, runFilter } from '../run-filter.js';
import { RunSearchRepository } from '../run-search.repository.js';
import type { BulkRunsInput } from '../run.inputs.js';
import type { BulkRunsResult, RefusedRun } from './bulk-run.results.js';

const BATCH_SIZE = 100;
/** The largest number of pages that one call reads. Each page scans a limited number of runs. */
const MAX_PAGES = 30;

export interface BulkChange {
  /** The name of the tool in the audit log. */
  action: string;
  /** The statuses that the call allows, and its default statuses. */
  statuses: { byDefault: readonly RunStatus[]; possible: readonly RunStatus[] };
  isRateLimited: boolean;
  work: (ids: readonly string[]) => Promise<ControlOutcome>;
}

/**
 * Changes all runs that match a filter, newest first, up to the limit of the call. All changes happen in the
 * transaction of the call, so an idempotency key covers all of them or none.
 */
@Injectable()
export class BulkRunsService {
  constructor(
    private readonly search: RunSearchRepository,
    private readonly limiter: RateLimiter,
    private readonly audit: AuditLog,
  ) {}

  async perform(
    { organizationId, actor }: ToolCall,
    input: BulkRunsInput,
    { action, statuses, isRateLimited, work }: BulkChange,
  ): Promise<BulkRunsResult> {
    const filter = filterOf(input, statuses);
    const done: string[] = [];
    const refused: RefusedRun[] = [];
    let left = input.limit;
    let from = readTimeCursor(input.cursor);
    for (let pages = 0; left > 0 && pages < MAX_PAGES; pages += 1) {
      const size = Math.min(left, BATCH_SIZE);
      const { found, next } = await this.search.find(organizationId, filter, from, size);
      const isFirst = done.length + refused.length === 0;
      const allowed = isRateLimited ? this.consume(organizationId, found, isFirst) : found;
      const outcome = await work(allowed.map(({ id }) => id));
      for (const id of outcome.done) await this.audit.record(organizationId, actor, action, id);
      done.push(...outcome.done);
      for (const { runId, error } of outcome.refused) {
        refused.push({ run_id: runId, code: error.code, message: error.message });
      }
      left -= allowed.length;
      const isRefused = allowed.length < found.length;
      from = isRefused ? (allowed.at(-1) ?? from) : next;
      if (isRefused || !from) break;
    }
    const nextCursor = from ? timeCursor({ createdAt: from.at, id: from.id }) : null;
    return { done: done.length, run_ids: done, refused, next_cursor: nextCursor };
  }

  /**
   * Returns as many runs as the rate limit allows. Throws `rate_limited` if the limit allows no run and no run has
   * changed.
   */
  private consume(
    organizationId: string,
    found: readonly TimePosition[],
    isFirst: boolean,
  ): TimePosition[] {
    const allowed: TimePosition[] = [];
    try {
      for (const position of found) {
        this.limiter.consume(organizationId, 1);
        allowed.push(position);
      }
    } catch (error) {
      if (!(error instanceof AppError) || (isFirst && allowed.length === 0)) throw error;
    }
    return allowed;
  }
}

function filterOf(input: BulkRunsInput, statuses: BulkChange['statuses']): RunFilter {
  const { statuses: given, ...others } = runFilter(input);
  const isEmpty = Object.values(others).every((value) => value === undefined);
  if (isEmpty && input.status === undefined) {
    throw AppError.invalid('Give at least one filter, such as status.', [
      { path: 'status', message: 'is required when no other filter is given' },
    ]);
  }
  const wanted = input.status === undefined ? statuses.byDefault : statuses.possible;
  const meant = given.filter((status) => wanted.includes(status));
  if (meant.length === 0) {
    throw AppError.invalid(`status must be one of ${statuses.possible.join(', ')} for this tool.`, [
      { path: 'status', message: `must be one of ${statuses.possible.join(', ')}` },
    ]);
  }
  return { ...others, statuses: meant };
}
