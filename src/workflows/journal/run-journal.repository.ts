import { Injectable, Logger } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { arrayOfUnknownSize, prepared, preparedRows } from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { cutValuesJson } from './cut-values.js';
import type { JournalEntry } from './claimed-run.js';
import { assertFits } from './journal-size.js';
import type { RunTransaction } from './run-transaction.js';
import { toLeaseLostError, withLeaseCheck } from './run-lease.js';
import type { ReachedStep, RetryPlan } from './run-retry-plan.js';

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

/** The smallest integer of PostgreSQL. */
const FIRST_POSITION = -(2 ** 31);
const MEMBERS = `step_id as "stepId", position, tool, status, attempts, input, output, error, progress,
  failed_attempts as "failedAttempts", wake_at as "wakeAt", bytes, "progressBytes",
  -- The remaining time by the database clock, or 0 when the event of the wait has come. Clocks of processes may be
  -- wrong, but they measure durations well.
  case when status = 'waiting' and exists (
    select from run_waits w where w.organization_id = $1 and w.run_id = $2 and w.step_id = s.step_id
      and w.state = 'delivered') then 0
  else extract(epoch from wake_at - clock_timestamp())::float8 * 1000 end as "left"`;
const bytesOf = (value: 'input' | 'output'): string =>
  // The size of a large value is stored in `cut`, so that the value itself need not be read.
  `coalesce((cut #>> '{${value},bytes}')::integer, octet_length(${value}::text), 0)`;
const SIZES = `${bytesOf('input')} + ${bytesOf('output')} as bytes,
  coalesce(octet_length(progress::text), 0) as "progressBytes"`;
const READ = prepared(
  'run_journal_read',
  `with sized as (
    select *, ${SIZES} from run_steps
    where organization_id = $1 and run_id = $2 and (position, step_id) > ($3, $4)
  ), counted as (
    select *, sum(bytes + "progressBytes") over (order by position, step_id) - bytes - "progressBytes" as "bytesBefore",
      sum(bytes + "progressBytes") over ()::float8 as "leftBytes", count(*) over ()::integer as "leftCount"
    from sized
  )
  select ${MEMBERS}, "leftBytes", "leftCount" from counted s where "bytesBefore" < $5 order by position, step_id`,
);
const READ_STEPS = prepared(
  'run_journal_read_steps',
  `select ${MEMBERS} from (
    select *, ${SIZES} from run_steps where organization_id = $1 and run_id = $2 and step_id = any (${arrayOfUnknownSize('$3::text[]')})) s
  order by position, step_id`,
);

/** A part of the journal of a run. */
export interface JournalPart {
  readonly entries: readonly JournalEntry[];
  /** The bytes of this part and of the parts after it. */
  readonly leftBytes: number;
  readonly isLast: boolean;
}

type StoredEntry = JournalEntry & { left: number | null };

@Injectable()
export class RunJournalRepository {
  private readonly logger = new Logger('Step');

  constructor(
    private readonly env: Env,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Queues an insert or update of an entry and stages it. The row of a finished step never changes. As a second check
   * behind the fence, an attempt to change it throws `LeaseLostError`. Throws `JournalTooLargeError`, and writes
   * nothing, when the journal would be too large.
   */
  record(tx: RunTransaction, entry: JournalEntry): void {
    const { organizationId, id: runId } = tx.run.lease;
    const isNew = !tx.get(entry.stepId);
    const [input, output] = [json(entry.input), json(entry.output)];
    entry.bytes = Buffer.byteLength(input ?? '') + Buffer.byteLength(output ?? '');
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
      json(entry.error),
      entry.wakeAt,
      json(entry.failedAttempts),
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

  /**
   * Returns the next part of the journal of a run in the order of execution. It begins with the entry after `after`.
   * All entries of the part except the last one have less than `maxBytes` together.
   */
  async read(
    organizationId: string,
    runId: string,
    maxBytes: number,
    after?: JournalEntry,
  ): Promise<JournalPart> {
    const place = [after?.position ?? FIRST_POSITION, after?.stepId ?? ''];
    const rows = await this.tenants
      .session(organizationId)
      .query<StoredEntry & { leftBytes: number; leftCount: number }>(READ, [
        organizationId,
        runId,
        ...place,
        maxBytes,
      ]);
    const { leftBytes = 0, leftCount = 0 } = rows[0] ?? {};
    const entries = toEntries(rows.map(({ leftBytes: _, leftCount: __, ...row }) => row));
    return { entries, leftBytes, isLast: rows.length === leftCount };
  }

  /** Returns the entries of these steps in the order of execution. */
  async readSteps(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
  ): Promise<JournalEntry[]> {
    const rows = await this.tenants
      .session(organizationId)
      .query<StoredEntry>(READ_STEPS, [organizationId, runId, stepIds]);
    return toEntries(rows);
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

  async getStepStates(
    organizationId: string,
    runIds: readonly string[],
  ): Promise<Map<string, ReachedStep[]>> {
    const rows = await this.tenants.session(organizationId).query<ReachedStep & { runId: string }>(
      `select run_id as "runId", step_id as "stepId", status, progress is not null as "hasProgress" from run_steps
         where organization_id = $1 and run_id = any($2) order by position`,
      [organizationId, runIds],
    );
    const states = new Map<string, ReachedStep[]>();
    for (const row of rows) states.set(row.runId, [...(states.get(row.runId) ?? []), row]);
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

function toEntries(rows: readonly StoredEntry[]): JournalEntry[] {
  const now = performance.now();
  return rows.map(({ left, ...row }) => ({ ...row, ...(left !== null && { dueAt: now + left }) }));
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
