import { Injectable, Logger } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { arrayOfUnknownSize, prepared, preparedRows } from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { cutValuesJson } from './cut-values.js';
import type { JournalEntry } from './claimed-run.js';
import { ESTIMATE, READ, READ_SMALL, READ_STEPS } from './journal-reads.js';
import {
  assertFits,
  assertReadable,
  journalBytes,
  JournalTooLargeError,
  MAX_LOADED_BYTES,
  MAX_LOADED_ENTRIES,
  placeBytes,
} from './journal-size.js';
import type { RunTransaction } from './run-transaction.js';
import { toLeaseLostError, withLeaseCheck } from './run-lease.js';
import type { ReachedStep, RetryPlan } from './run-retry-plan.js';
import { parseEntries, type StoredEntry, measureEntries } from './stored-entries.js';

const INSERT_ROWS = `insert into run_steps as s (organization_id, run_id, step_id, position, tool, status, attempts, input,
    output, error, wake_at, started_at, finished_at, failed_attempts, cut)
  select $1, g.run_id, g.step_id, g.position, g.tool, g.status, g.attempts, g.input, g.output, g.error,
    g.wake_at, now(), case when g.status in ('succeeded', 'failed', 'skipped') then clock_timestamp() end,
    g.failed_attempts, g.cut
  from unnest(${arrayOfUnknownSize('$2::text[]')}, $3::text[], $4::integer[], $5::text[], $6::text[], $7::integer[], $8::json[],
      $9::json[], $10::json[], $11::timestamptz[], $12::json[], $13::json[])
    as g (run_id, step_id, position, tool, status, attempts, input, output, error, wake_at,
      failed_attempts, cut)`;
const INSERT = preparedRows('run_step_insert', INSERT_ROWS);
// The statement is sent for each entry, because one statement cannot update a row twice.
const UPSERT = prepared(
  'run_step_upsert',
  withLeaseCheck(`${INSERT_ROWS}
    on conflict on constraint run_steps_pkey do update set status = excluded.status, attempts = excluded.attempts,
      input = excluded.input, output = excluded.output, error = excluded.error, wake_at = excluded.wake_at,
      finished_at = excluded.finished_at, failed_attempts = excluded.failed_attempts, cut = excluded.cut
    where s.status in ('running', 'waiting') returning s.step_id`),
);

type JournalPlace = Pick<JournalEntry, 'position' | 'stepId'>;

/** The place before all entries. Its position is the smallest integer of PostgreSQL. */
const BEGIN: JournalPlace = { position: -(2 ** 31), stepId: '' };
/** The usual number of bytes of a text for each byte of its stored value. */
const TEXT_OF_STORED = 4;

/** A part of the journal of a run. */
export interface JournalPart {
  /** The bytes of the entries, as `placeBytes` and `journalBytes` count them. */
  readonly bytes: number;
  /** The number of entries. */
  readonly count: number;
  readonly isLast: boolean;
  /**
   * Parses the entries in parts, between which other work can run. Rejects with `JournalTooLargeError` when one of them
   * takes too long to parse.
   */
  readonly entries: () => Promise<readonly JournalEntry[]>;
  /** The place of the last entry. */
  readonly end: JournalPlace;
}

@Injectable()
export class RunJournalRepository {
  private readonly logger = new Logger('Step');

  constructor(
    private readonly env: Env,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Queues an insert or update of an entry and stages it. The row of a finished step never changes. As a second check
   * in addition to the fence, an attempt to change such a row throws `LeaseLostError`. Throws `JournalTooLargeError`,
   * and writes nothing, when the journal would be too large, or the entry would take too long to parse.
   */
  record(tx: RunTransaction, entry: JournalEntry): void {
    const { organizationId, id: runId } = tx.run.lease;
    const isNew = !tx.get(entry.stepId);
    const [input, output] = [json(entry.input), json(entry.output)];
    const [error, failedAttempts] = [json(entry.error), json(entry.failedAttempts)];
    assertReadable(input, output, error, failedAttempts);
    entry.bytes = placeBytes(entry) + journalBytes(input, output, error, failedAttempts);
    assertFits(tx, entry);
    const values = [
      organizationId,
      runId,
      entry.stepId,
      entry.position,
      entry.tool,
      entry.status,
      entry.attempts,
      input,
      output,
      error,
      entry.wakeAt,
      failedAttempts,
      cutValuesJson(input, output),
    ];
    const session = this.tenants.session(organizationId);
    if (isNew) session.defer(INSERT, values, toLeaseLostError);
    else session.defer(UPSERT, INSERT.toValues([values]), toLeaseLostError);
    tx.stage(entry);
    if (this.env.logsDebug) {
      const { stepId: step, status, attempts } = entry;
      this.logger.debug({ run: runId, step, status, attempts });
    }
  }

  /** Returns the journal of a run. Returns no entries when their JSON has more than `maxBytes`. */
  async readSmall(
    organizationId: string,
    runId: string,
    maxBytes: number,
  ): Promise<readonly JournalEntry[]> {
    const rows = await this.tenants
      .session(organizationId)
      .query<StoredEntry>(READ_SMALL, [organizationId, runId, maxBytes]);
    return await parseEntries(measureEntries(rows));
  }

  /**
   * Returns the approximate bytes of the JSON of a journal, without reading it. Returns 0 only when the journal has no
   * entries. JSON that SQL of a tool stored can have up to 60 times as many bytes, so the caller must also count each
   * part.
   */
  async estimate(organizationId: string, runId: string): Promise<number> {
    const [row] = await this.tenants
      .session(organizationId)
      .query<{ bytes: number }>(ESTIMATE, [organizationId, runId]);
    return row!.bytes * TEXT_OF_STORED;
  }

  /**
   * Returns the next part of the journal of a run in the order of execution. It begins with the entry after `after`.
   * Without its last entry, the JSON of the part has less than `maxBytes`.
   */
  async read(
    organizationId: string,
    runId: string,
    maxBytes: number,
    after: JournalPlace = BEGIN,
  ): Promise<JournalPart> {
    const values = [organizationId, runId, after.position, after.stepId, maxBytes];
    const rows = await this.tenants
      .session(organizationId)
      .query<StoredEntry & { leftCount: number }>(READ, values);
    const measured = measureEntries(rows.map(({ leftCount: _, ...row }) => row));
    return {
      bytes: measured.bytes,
      count: rows.length,
      isLast: rows.length === (rows[0]?.leftCount ?? 0),
      entries: () => parseEntries(measured),
      end: rows.at(-1) ?? after,
    };
  }

  /**
   * Returns the entries of these steps in the order of execution. Throws `JournalTooLargeError` when they have more
   * than `MAX_LOADED_BYTES`.
   */
  async readSteps(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
  ): Promise<JournalEntry[]> {
    const rows = await this.tenants
      .session(organizationId)
      .query<StoredEntry>(READ_STEPS, [organizationId, runId, stepIds]);
    const measured = measureEntries(rows);
    if (measured.bytes > MAX_LOADED_BYTES) throw new JournalTooLargeError();
    return await parseEntries(measured);
  }

  /** Returns the outputs or errors of steps by id, or their total size when it is more than `maxBytes`. */
  async findOutcomes(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
    maxBytes: number,
  ): Promise<{ outcomes: Map<string, object | null> } | { bytes: number }> {
    const rows = await this.tenants
      .session(organizationId)
      .query<{ step_id: string; outcome: object | null; size: number }>(
        `with found as (
         select step_id, case when status = 'failed' then json_build_object('error', error) else output end as outcome
         from run_steps where organization_id = $1 and run_id = $2 and step_id = any ($3)
       ), sized as (select coalesce(sum(octet_length(outcome::text)), 0)::float8 as size from found)
       select step_id, case when size <= $4 then outcome end as outcome, size from found, sized`,
        [organizationId, runId, stepIds, maxBytes],
      );
    const bytes = rows[0]?.size ?? 0;
    if (bytes > maxBytes) return { bytes };
    return { outcomes: new Map(rows.map(({ step_id: id, outcome }) => [id, outcome])) };
  }

  /** Returns the number of entries of each run, or `MAX_LOADED_ENTRIES + 1` for a run with more entries. */
  async countEntries(
    organizationId: string,
    runIds: readonly string[],
  ): Promise<Map<string, number>> {
    const rows = await this.tenants.session(organizationId).query<{ id: string; count: number }>(
      `select r.id, counted.count from unnest($2::text[]) as r (id)
       cross join lateral (
         select count(*)::integer as count from (
           select from run_steps where organization_id = $1 and run_id = r.id limit $3) entries) counted`,
      [organizationId, runIds, MAX_LOADED_ENTRIES + 1],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Returns the entries of runs with few entries, in the order of execution. Call {@link countEntries} first. */
  async getStepStates(
    organizationId: string,
    runIds: readonly string[],
  ): Promise<Map<string, ReachedStep[]>> {
    const rows = await this.tenants.session(organizationId).query<ReachedStep & { runId: string }>(
      `select run_id as "runId", step_id as "stepId", status, progress is not null as "hasProgress" from run_steps
         where organization_id = $1 and run_id = any($2) order by position`,
      [organizationId, runIds],
    );
    const states = new Map<string, ReachedStep[]>(runIds.map((id) => [id, []]));
    for (const row of rows) states.get(row.runId)!.push(row);
    return states;
  }

  async applyRetryPlans(
    organizationId: string,
    runs: readonly { id: string; plan: RetryPlan }[],
  ): Promise<void> {
    const session = this.tenants.session(organizationId);
    const gone = runs.flatMap(({ id, plan }) => plan.gone.map((stepId) => ({ id, stepId })));
    const again = runs.flatMap(({ id, plan }) => plan.again.map((stepId) => ({ id, stepId })));
    if (gone.length > 0) {
      await session.query(
        `delete from run_steps s using unnest($2::text[], $3::text[]) as f (run_id, step_id)
         where s.organization_id = $1 and s.run_id = f.run_id and s.step_id = f.step_id`,
        [organizationId, gone.map(({ id }) => id), gone.map(({ stepId }) => stepId)],
      );
    }
    const reopened = runs.flatMap(({ id, plan }) =>
      plan.reopened.map((stepId) => ({ id, stepId })),
    );
    if (reopened.length > 0) {
      await session.query(
        `update run_steps s set status = 'running', error = null, finished_at = null
         from unnest($2::text[], $3::text[]) as f (run_id, step_id)
         where s.organization_id = $1 and s.run_id = f.run_id and s.step_id = f.step_id`,
        [organizationId, reopened.map(({ id }) => id), reopened.map(({ stepId }) => stepId)],
      );
    }
    if (again.length > 0) {
      // The input is reset too, because it may have been corrected since the failure.
      await session.query(
        `update run_steps s set status = 'waiting', attempts = 0, input = null, error = null, cut = null, wake_at = null,
           finished_at = null
         from unnest($2::text[], $3::text[]) as f (run_id, step_id)
         where s.organization_id = $1 and s.run_id = f.run_id and s.step_id = f.step_id`,
        [organizationId, again.map(({ id }) => id), again.map(({ stepId }) => stepId)],
      );
    }
  }
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
