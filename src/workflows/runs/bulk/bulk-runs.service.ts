import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../accounts/account.js';
import { AuditLog } from '../../../accounts/audit-log.js';
import { AppError } from '../../../errors/app-error.js';
import { RateLimiter } from '../../../http/rate-limiter.js';
import { readTimeCursor, type TimePosition, timeCursor } from '../../../paging/paging.js';
import type { BulkReplayRunsInput } from './bulk-run.inputs.js';
import type { BulkRetryRunsInput } from './bulk-run.inputs.js';
import type { BulkRunsInput } from './bulk-run.inputs.js';
import type { BulkRunsResult, RefusedRun } from './bulk-run.results.js';
import { isEmptyFilter, runFilter, UNFINISHED } from '../run-filter.js';
import { type ControlOutcome, RunControl } from '../run-control.service.js';
import { RunSearch } from '../run-search.repository.js';
import { RUN_STATUSES, type RunStatus } from '../../journal/run.entity.js';

/** Runs that are changed by the same statements. */
const BATCH = 100;
/** How often one call looks for more runs; each time it looks at a bounded number of them. */
const MOST_LOOKS = 30;

interface Bulk {
  organizationId: string;
  actor: Actor;
  action: string;
  input: BulkRunsInput;
  /** The states in which a run can be meant; the first list where the call asks for none. */
  statuses: { byDefault: readonly RunStatus[]; possible: readonly RunStatus[] };
  isCounted: boolean;
  work: (ids: readonly string[]) => Promise<ControlOutcome>;
}

/**
 * Does to all runs that match what can be done to one, at most as many as the call says, the newest first. In the
 * transaction of the call: an idempotency key holds for all of it or for nothing.
 */
@Injectable()
export class BulkRuns {
  constructor(
    private readonly search: RunSearch,
    private readonly control: RunControl,
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
      isCounted: false,
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
      isCounted: true,
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
      isCounted: true,
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
    for (let looks = 0; left > 0 && looks < MOST_LOOKS; looks += 1) {
      const { found, next } = await this.search.find(
        organizationId,
        filter,
        from,
        Math.min(left, BATCH),
      );
      const isFirst = done.length + refused.length === 0;
      const allowed = bulk.isCounted ? this.consume(organizationId, found, isFirst) : found;
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

  /** As many of the runs as the rate limit lets through now; throws if nothing was and nothing can be done. */
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
    throw AppError.invalid('Say which runs are meant, by status at least.', [
      { path: 'status', message: 'is required where nothing else says which runs are meant' },
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
