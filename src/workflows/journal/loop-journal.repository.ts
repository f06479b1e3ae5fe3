import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { ItemFailure, LoopProgress } from '../definitions/steps/loop-progress.js';
import type { JournalEntry } from './claimed-run.js';
import { assertFits, assertReadable, journalBytes } from './journal-size.js';
import { toLeaseLostError, withLeaseCheck } from './run-lease.js';
import type { RunTransaction } from './run-transaction.js';

/** The largest number of stored failures of a loop. Later failures are only counted. */
export const MAX_ITEM_FAILURES = 50;
const MAX_MESSAGE = 200;

/** The iterations of a loop, from `from` up to but not including `to`. */
export interface IterationRange {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export interface ItemFailures {
  readonly failed: number;
  readonly failures: readonly ItemFailure[];
}

// The index of the primary key finds the rows of a run. No index of iterations is needed, because a run has a bounded
// number of rows.
const INDEX = `split_part(substr(step_id, length($3) + 1), ']', 1)::integer`;
const ROWS = `organization_id = $1 and run_id = $2
  and case when starts_with(step_id, $3) then ${INDEX} >= $4 and ${INDEX} < $5 else false end`;
const MEMBERS = `step_id, position, status, error, progress, ${INDEX} as index`;
const FAILURES = `, failed as (
    select distinct on (index) index, step_id as step, coalesce(error ->> 'code', 'items_failed') as code,
      coalesce(left(error ->> 'message', ${MAX_MESSAGE}), (progress ->> 'failed') || ' items failed.') as message
    from found where status = 'failed' or (progress ->> 'failed')::integer > 0
    order by index, position
  )
  select (select count(*) from failed)::integer as failed,
    (select coalesce(json_agg(f order by f.index), '[]') from (
      select index, step, code, message from failed order by index limit ${MAX_ITEM_FAILURES}) f) as failures`;
const FIND = `with found as (select ${MEMBERS} from run_steps where ${ROWS})${FAILURES}`;
const FOLD = `with found as (delete from run_steps where ${ROWS} returning ${MEMBERS})${FAILURES}`;
const SAVE = prepared(
  'loop_progress_save',
  withLeaseCheck(`update run_steps set progress = $4
    where organization_id = $1 and run_id = $2 and step_id = $3 and status = 'running' returning step_id`),
);

/** Counts and deletes the rows of iterations. Call the methods in a fenced transaction of the run. */
@Injectable()
export class LoopJournalRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the failures of these iterations, whose rows stay. */
  async findFailures(tx: RunTransaction, range: IterationRange): Promise<ItemFailures> {
    return await this.query(FIND, tx, range);
  }

  /** Deletes the rows of these iterations, and returns their failures. */
  async fold(tx: RunTransaction, range: IterationRange): Promise<ItemFailures> {
    const found = await this.query(FOLD, tx, range);
    const { path, from, to } = range;
    tx.fold(Array.from({ length: to - from }, (_, offset) => `${path}[${from + offset}]`));
    return found;
  }

  /** Deletes the rows of the steps that have read a page. `iteration` is a path such as `each:page[3]`. */
  async deletePage(tx: RunTransaction, iteration: string): Promise<void> {
    const { organizationId, id: runId } = tx.run.lease;
    await this.tenants
      .session(organizationId)
      .query(
        `delete from run_steps where organization_id = $1 and run_id = $2 and starts_with(step_id, $3)`,
        [organizationId, runId, `${iteration}.`],
      );
    tx.fold([iteration]);
  }

  /**
   * Queues an update of the progress of an open loop, and stages the entry. Throws the `JournalTooLargeError` of
   * `RunJournalRepository.record`.
   */
  saveProgress(tx: RunTransaction, entry: JournalEntry, progress: LoopProgress): JournalEntry {
    const { organizationId, id: runId } = tx.run.lease;
    const json = JSON.stringify(progress);
    assertReadable(json);
    const saved = { ...entry, progress, progressBytes: journalBytes(json) };
    assertFits(tx, saved);
    const values = [organizationId, runId, entry.stepId, json];
    this.tenants.session(organizationId).defer(SAVE, values, toLeaseLostError);
    tx.stage(saved);
    return saved;
  }

  private async query(
    statement: string,
    tx: RunTransaction,
    { path, from, to }: IterationRange,
  ): Promise<ItemFailures> {
    const { organizationId, id: runId } = tx.run.lease;
    const [row] = await this.tenants
      .session(organizationId)
      .query<ItemFailures>(statement, [organizationId, runId, `${path}[`, from, to]);
    return row!;
  }
}
