import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../accounts/account.js';
import { AuditLog } from '../../../accounts/audit-log.js';
import { AppError } from '../../../errors/app-error.js';
import { RateLimiter } from '../../../http/rate-limiter.js';
import { type TimePosition, readTimeCursor, timeCursor } from '../../../paging/paging.js';
import { RUN_STATUSES, type RunStatus } from '../../journal/run.entity.js';
import { RunControlService } from '../run-control.service.js';
import type { ControlOutcome } from '../run-retries.service.js';
import { UNFINISHED, isEmptyFilter, runFilter } from '../run-filter.js';
import { RunSearchRepository } from '../run-search.repository.js';
import type { BulkReplayRunsInput, BulkRetryRunsInput, BulkRunsInput } from '../run.inputs.js';
import type { BulkRunsResult, RefusedRun } from './bulk-run.results.js';

/** The number of runs that one statement changes. */
const BATCH_SIZE = 100;
/** The most pages that one call reads. Each page scans a bounded number of runs. */
const MAX_PAGES = 30;

interface Bulk {
  organizationId: string;
  actor: Actor;
  action: string;
  input: BulkRunsInput;
  /** The statuses that the call allows, and those that it uses when none is given. */
  statuses: { byDefault: readonly RunStatus[]; possible: readonly RunStatus[] };
  isRateLimited: boolean;
  work: (ids: readonly string[]) => Promise<ControlOutcome>;
}

/**
 * Cancels, retries and replays all runs that match a filter, newest first, up to the limit of the call. It all happens in
 * the transaction of the call, so an idempotency key covers all of it or nothing.
 */
@Injectable()
export class BulkRunsService {
  constructor(
    private readonly search: RunSearchRepository,
    private readonly control: RunControlService,
    private readonly limiter: RateLimiter,
    private readonly audit: AuditLog,
  ) {}

  cancel(
    organizationId: string,
    actor: Actor,
    action: string,
    input: BulkRunsInput,
  ): Promise<BulkRunsResult> {
    return this.perform({
      organizationId,
      actor,
      action,
      input,
      statuses: { byDefault: UNFINISHED, possible: UNFINISHED },
      isRateLimited: false,
      work: (ids) => this.control.cancelAll(organizationId, ids),
    });
  }

  retry(
    organizationId: string,
    actor: Actor,
    action: string,
    input: BulkRetryRunsInput,
  ): Promise<BulkRunsResult> {
    return this.perform({
      organizationId,
      actor,
      action,
      input,
      statuses: { byDefault: ['failed'], possible: ['failed', 'canceled'] },
      isRateLimited: true,
      work: (ids) => this.control.retryAll(organizationId, ids, input.version),
    });
  }

  replay(
    organizationId: string,
    actor: Actor,
    action: string,
    input: BulkReplayRunsInput,
  ): Promise<BulkRunsResult> {
    return this.perform({
      organizationId,
      actor,
      action,
      input,
      statuses: { byDefault: RUN_STATUSES, possible: RUN_STATUSES },
      isRateLimited: true,
      work: (ids) => this.control.replayAll(organizationId, ids, input.version),
    });
  }

  private async perform(bulk: Bulk): Promise<BulkRunsResult> {
    const { organizationId, input } = bulk;
    const filter = filterOf(bulk);
    const done: string[] = [];
    const refused: RefusedRun[] = [];
    let left = input.limit;
    let from = readTimeCursor(input.cursor);
    for (let pages = 0; left > 0 && pages < MAX_PAGES; pages += 1) {
      const { found, next } = await this.search.find(
        organizationId,
        filter,
        from,
        Math.min(left, BATCH_SIZE),
      );
      const isFirst = done.length + refused.length === 0;
      const allowed = bulk.isRateLimited ? this.consume(organizationId, found, isFirst) : found;
      const outcome = await bulk.work(allowed.map(({ id }) => id));
      await this.audit.recordAll(organizationId, bulk.actor, bulk.action, outcome.done);
      done.push(...outcome.done);
      refused.push(
        ...outcome.refused.map(({ runId, error: { code, message } }) => ({
          run_id: runId,
          code,
          message,
        })),
      );
      left -= allowed.length;
      if (allowed.length < found.length) {
        return {
          done: done.length,
          run_ids: done,
          refused,
          next_cursor: cursorOf(allowed.at(-1) ?? from),
        };
      }
      from = next;
      if (!from) break;
    }
    return { done: done.length, run_ids: done, refused, next_cursor: cursorOf(from) };
  }

  /** Returns as many runs as the rate limit allows. Throws `rate_limited` when it allows none and nothing was done before. */
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

function filterOf({ input, statuses }: Bulk): ReturnType<typeof runFilter> {
  if (isEmptyFilter(input)) {
    throw AppError.invalid('Give at least one filter, such as status.', [
      { path: 'status', message: 'is required when no other filter is given' },
    ]);
  }
  const filter = runFilter(input);
  const wanted = input.status === undefined ? statuses.byDefault : statuses.possible;
  const meant = filter.statuses.filter((status) => wanted.includes(status));
  if (meant.length === 0) {
    throw AppError.invalid(`status must be one of ${statuses.possible.join(', ')} for this.`, [
      { path: 'status', message: `must be one of ${statuses.possible.join(', ')}` },
    ]);
  }
  return { ...filter, statuses: meant };
}

function cursorOf(position: TimePosition | undefined): string | null {
  return position ? timeCursor({ createdAt: position.at, id: position.id }) : null;
}
