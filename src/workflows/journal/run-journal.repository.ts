import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Part } from '../../database/driver/pipelined-query.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { JournalEntry } from './claimed-run.js';
import { asLeaseLost, onlyHeld } from './lease-lost.js';
import type { ReachedStep, RetryPlan } from './retry-plan.js';
import { RunStep } from './run-step.entity.js';

const OUTLINE = [
  'organizationId',
  'runId',
  'stepId',
  'position',
  'tool',
  'status',
  'attempts',
  'error',
  'startedAt',
  'finishedAt',
] as const satisfies readonly (keyof RunStep)[];

const INSERT_INTO = `insert into run_steps as s (organization_id, run_id, step_id, position, tool, status, attempts, input,
    output, error, wake_at, started_at, finished_at, failed_attempts) values`;
const COLUMNS = 12;
const INSERT = { name: 'switchboard_journal_new', text: `${INSERT_INTO} ${row(0)}`, together };
const UPSERT = {
  name: 'switchboard_journal',
  text: onlyHeld(`${INSERT_INTO} ${row(0)}
    on conflict on constraint run_steps_pkey do update set status = excluded.status, attempts = excluded.attempts,
      input = excluded.input, output = excluded.output, error = excluded.error, wake_at = excluded.wake_at,
      finished_at = excluded.finished_at, failed_attempts = excluded.failed_attempts
    where s.status in ('running', 'waiting') returning s.step_id`),
};

/** What a run has done so far: read to find its next step, written with the effect of each. */
@Injectable()
export class RunJournalRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Writes what became of a step; over what is there already, unless the step is new. A step that is done already is
   * never written again, which is a second wall behind the fence.
   */
  record(organizationId: string, runId: string, entry: JournalEntry, isNew: boolean): void {
    this.tenants.defer(organizationId, {
      ...(isNew ? INSERT : UPSERT),
      values: [
        organizationId,
        runId,
        entry.stepId,
        entry.position,
        entry.tool,
        entry.status,
        entry.attempts,
        json(entry.input),
        json(entry.output),
        json(entry.error),
        entry.wakeAt,
        json(entry.failedAttempts),
      ],
      meaning: asLeaseLost,
    });
  }

  /** The journal of a run in order of execution, or some entries of it. */
  async read(
    organizationId: string,
    runId: string,
    stepIds?: readonly string[],
  ): Promise<(RunStep & { dueAt?: number })[]> {
    const query = this.tenants
      .manager(organizationId)
      .createQueryBuilder(RunStep, 's')
      // What it waited for may have come. How long is left is for the clock of the database to say; from then on it passes the same everywhere.
      .addSelect(
        `case when s.status = 'waiting' and exists (
           select from run_waits w where w.organization_id = s.organization_id and w.run_id = s.run_id
             and w.step_id = s.step_id and w.state = 'delivered') then 0
         else extract(epoch from s.wake_at - clock_timestamp())::float8 * 1000 end`,
        'left',
      )
      .where({ organizationId, runId, ...(stepIds && { stepId: In([...stepIds]) }) })
      .orderBy('s.position');
    const { entities, raw } = await query.getRawAndEntities<{ left: number | null }>();
    const now = performance.now();
    return entities.map((step, index) => {
      const { left } = raw[index]!;
      return Object.assign(step, left !== null && { dueAt: now + left });
    });
  }

  /** What steps came to, by their ids; undefined where it is more than so many bytes together. */
  async outcomes(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
    maxBytes: number,
  ): Promise<Map<string, object | null> | undefined> {
    const rows = await this.tenants
      .manager(organizationId)
      .query<{ step_id: string; outcome: object | null; size: number }[]>(
        `with found as (
         select step_id, case when status = 'failed' then json_build_object('error', error) else output end as outcome
         from run_steps where organization_id = $1 and run_id = $2 and step_id = any ($3)
       ), sized as (select coalesce(sum(octet_length(outcome::text)), 0)::float8 as size from found)
       select step_id, case when size <= $4 then outcome end as outcome, size from found, sized`,
        [organizationId, runId, stepIds, maxBytes],
      );
    if (rows.some(({ size }) => size > maxBytes)) return undefined;
    return new Map(rows.map(({ step_id: id, outcome }) => [id, outcome]));
  }

  /** The journals of several runs, without inputs and outputs, in order of execution. */
  async outlines(organizationId: string, runIds: readonly string[]): Promise<RunStep[]> {
    if (runIds.length === 0) return [];
    const steps = await this.tenants
      .manager(organizationId)
      .createQueryBuilder(RunStep, 's')
      .select(OUTLINE.map((column) => `s.${column}`))
      .where({ organizationId, runId: In([...runIds]) })
      .orderBy('s.position')
      .getMany();
    return steps.map((step) => Object.assign(step, { input: null, output: null }));
  }

  /** What retries need to know of the journals of several runs, by run. */
  async states(
    organizationId: string,
    runIds: readonly string[],
  ): Promise<Map<string, ReachedStep[]>> {
    const rows = await this.tenants
      .manager(organizationId)
      .query<(ReachedStep & { runId: string })[]>(
        `select run_id as "runId", step_id as "stepId", status from run_steps
         where organization_id = $1 and run_id = any($2) order by position`,
        [organizationId, runIds],
      );
    const states = new Map<string, ReachedStep[]>();
    for (const row of rows) states.set(row.runId, [...(states.get(row.runId) ?? []), row]);
    return states;
  }

  /** Makes the runs forget steps that they are to do anew. */
  async forget(
    organizationId: string,
    runs: readonly { id: string; plan: RetryPlan }[],
  ): Promise<void> {
    const manager = this.tenants.manager(organizationId);
    const gone = runs.flatMap(({ id, plan }) => plan.gone.map((stepId) => ({ id, stepId })));
    const again = runs.flatMap(({ id, plan }) => plan.again.map((stepId) => ({ id, stepId })));
    if (gone.length > 0) {
      await manager.query(
        `delete from run_steps s using unnest($2::text[], $3::text[]) as f (run_id, step_id)
         where s.organization_id = $1 and s.run_id = f.run_id and s.step_id = f.step_id`,
        [organizationId, gone.map(({ id }) => id), gone.map(({ stepId }) => stepId)],
      );
    }
    if (again.length > 0) {
      // The input too: what was wrong with it may have been mended since.
      await manager.query(
        `update run_steps s set status = 'waiting', attempts = 0, input = null, error = null, wake_at = null,
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

/** Several new rows of the journal by one statement. */
function together(parts: readonly Part[]): Pick<Part, 'name' | 'text' | 'values'> {
  return {
    name: `${INSERT.name}_${parts.length}`,
    text: `${INSERT_INTO} ${parts.map((_, index) => row(index)).join(', ')}`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** One row of the statement, so many rows after the first. */
function row(index: number): string {
  const given = (column: number): string => `$${index * COLUMNS + column}`;
  const first = Array.from({ length: COLUMNS - 1 }, (_, place) => given(place + 1)).join(', ');
  return `(${first}, now(),
    case when ${given(6)} in ('succeeded', 'failed', 'skipped') then clock_timestamp() end, ${given(COLUMNS)})`;
}
