import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { StepStatus } from '../definitions/steps/step-kind.js';
import type { LoopProgress } from '../definitions/steps/loop-progress.js';
import type { CutValues } from './cut-values.js';
import { MAX_STEPS } from '../definitions/steps/step-parser.js';
import { RETURNED, type ReturnOutput } from '../definitions/steps/return-step.js';
import type { Run, RunStep, StepError } from './run.entity.js';

/** A step as it is shown. Its large values are null, and `cut` has their sizes and beginnings. */
export type ShownStep = Omit<RunStep, 'organizationId' | 'cut' | 'wakeAt' | 'progress'> & {
  cut: CutValues | null;
  /** The progress of a loop, without its results and its cursor. */
  progress: Omit<LoopProgress, 'results'> | null;
  /** The number of items of a loop whose finished iterations are folded, if it is known. */
  itemCount: number | null;
};

/** The position of the last step of a page. */
export interface StepPosition {
  position: number;
  stepId: string;
}

/** The data that decides the plan of a run. */
export interface PlannedStep {
  stepId: string;
  status: StepStatus;
  output: object | null;
  progress: object | null;
  /** The number of items of a loop. */
  itemCount?: number;
  dueAt?: number;
}

/**
 * The largest number of rows from which the current steps of a run are computed. It limits the time of this function.
 */
const MAX_PLANNED_STEPS = 20_000;
/**
 * The largest number of steps whose outcomes are read together. A definition has about half as many, so only SQL of a
 * tool can store more.
 */
const MAX_OUTCOMES = 2 * MAX_STEPS;
/** The largest output that can decide the plan of a run. Such an output names the branch of a step. */
const MAX_PLANNED_BYTES = 32 * 1024;

export interface StepOutcome {
  stepId: string;
  tool: string | null;
  status: StepStatus;
  output: object | null;
  error: StepError | null;
}

export type StepValue = 'input' | 'output' | 'error' | 'failed_attempts';

const COLUMNS = `run_id as "runId", step_id as "stepId", position, tool, status, attempts, error,
  started_at as "startedAt", finished_at as "finishedAt"`;
// Leave out the results and the cursor of a loop. The results become the output of the loop later, and the cursor may
// be long.
const PROGRESS = `case when progress is not null then json_build_object('done', progress -> 'done',
  'failed', progress -> 'failed', 'failures', progress -> 'failures', 'pages', case when progress -> 'pages' is not null
    then json_build_object('read', progress -> 'pages' -> 'read', 'firstItem', progress -> 'pages' -> 'firstItem',
      'isLast', progress -> 'pages' -> 'isLast') end) end as progress`;
// PostgreSQL reads a stored value of up to 1 MiB only when it evaluates the expression with this value.
const VALUES = `case when cut -> 'input' is null then input end as input,
  case when cut -> 'output' is null then output end as output, cut, failed_attempts as "failedAttempts",
  ${PROGRESS},
  case when progress is not null and progress -> 'pages' is null then json_array_length(input -> 'items') end as "itemCount"`;

const TEXTS = {
  input: 'input::text',
  output: 'output::text',
  error: 'error::text',
  failed_attempts: 'failed_attempts::text',
} as const satisfies Record<StepValue, string>;

/** Reads the steps of runs for people and agents, in bounded parts. */
@Injectable()
export class RunStepsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns at most `limit` steps that were executed after the step `after`, in the order of execution. */
  async list(
    organizationId: string,
    runId: string,
    after: StepPosition | undefined,
    limit: number,
  ): Promise<ShownStep[]> {
    return await this.tenants.session(organizationId).query<ShownStep>(
      // The values are read after the limit, and not for all steps of the run.
      `select ${COLUMNS}, ${VALUES} from (
         select * from run_steps
         where organization_id = $1 and run_id = $2 and (position, step_id) > ($3, $4)
         order by position, step_id limit $5) page
       order by position, step_id`,
      [organizationId, runId, after?.position ?? 0, after?.stepId ?? '', limit],
    );
  }

  async find(
    organizationId: string,
    runId: string,
    stepIds: readonly string[],
  ): Promise<ShownStep[]> {
    if (stepIds.length === 0) return [];
    return await this.tenants.session(organizationId).query<ShownStep>(
      `select ${COLUMNS}, ${VALUES} from run_steps
       where organization_id = $1 and run_id = $2 and step_id = any ($3)`,
      [organizationId, runId, stepIds],
    );
  }

  /** Returns the last `limit` steps of each run in the order of execution, without inputs and outputs. */
  async listLast(
    organizationId: string,
    runIds: readonly string[],
    limit: number,
  ): Promise<ShownStep[]> {
    if (runIds.length === 0) return [];
    return await this.tenants.session(organizationId).query<ShownStep>(
      `select ${COLUMNS}, null as input, null as output, null as cut, null as "failedAttempts",
         null as progress, null as "itemCount" from (
         select *, row_number() over (partition by run_id order by position desc, step_id desc) as age
         from run_steps where organization_id = $1 and run_id = any ($2)) s
       where age <= $3 order by position, step_id`,
      [organizationId, runIds, limit],
    );
  }

  async count(organizationId: string, runIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.tenants.session(organizationId).query<{ id: string; count: number }>(
      `select run_id as id, count(*)::integer as count from run_steps
         where organization_id = $1 and run_id = any ($2) group by run_id`,
      [organizationId, runIds],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /**
   * Returns the data that decides which steps of a run are next, without inputs and outputs of tools. Items of loops are only
   * counted. Returns undefined for a run with more than {@link MAX_PLANNED_STEPS} stored steps.
   */
  async plan(organizationId: string, runId: string): Promise<PlannedStep[] | undefined> {
    const rows = await this.tenants.session(organizationId).query<{
      stepId: string;
      status: StepStatus;
      items: number | null;
      output: object | null;
      progress: object | null;
      left: number | null;
    }>(
      `select step_id as "stepId", status, ${PROGRESS},
         case when status = 'waiting' then extract(epoch from wake_at - clock_timestamp())::float8 * 1000 end as left,
         case when tool is null and status = 'running' then
           case json_typeof(input -> 'items') when 'array' then json_array_length(input -> 'items') end end as items,
         case when tool is null and pg_column_size(output) <= ${MAX_PLANNED_BYTES}
           and octet_length(output::text) <= ${MAX_PLANNED_BYTES} then output end as output
       from run_steps where organization_id = $1 and run_id = $2 limit ${MAX_PLANNED_STEPS + 1}`,
      [organizationId, runId],
    );
    if (rows.length > MAX_PLANNED_STEPS) return undefined;
    const now = performance.now();
    return rows.map(({ stepId, status, items, output, progress, left }) => ({
      stepId,
      status,
      output,
      progress,
      ...(items !== null && { itemCount: items }),
      ...(left !== null && { dueAt: now + left }),
    }));
  }

  /**
   * Returns the outcomes of the steps that later steps can name, in the order of execution. When there are more than
   * {@link MAX_OUTCOMES}, or their values together have more than `maxBytes`, returns this fault as the end of a
   * sentence. The values are the outputs and, with `hasErrors`, the errors of failed steps. Other errors are null.
   */
  async outcomes(
    organizationId: string,
    runId: string,
    maxBytes: number,
    { hasErrors = false } = {},
  ): Promise<{ steps: StepOutcome[] } | { fault: string }> {
    // Texts are decompressed only when their stored values fit. Sizes in the column `cut` may be wrong.
    const rows = await this.tenants
      .session(organizationId)
      .query<StepOutcome & { bytes: number; count: number }>(
        `with found as (
         select step_id, position, tool, status, output, case when $4 and status = 'failed' then error end as error
         from run_steps where organization_id = $1 and run_id = $2 and strpos(step_id, '[') = 0
         limit ${MAX_OUTCOMES + 1}
       ), stored as (
         select count(*)::integer as count,
           sum(coalesce(pg_column_size(output), 0) + coalesce(pg_column_size(error), 0)) as bytes from found
       ), total as (
         select count, (case when count > ${MAX_OUTCOMES} or bytes > $3 then bytes else (
           select sum(coalesce(octet_length(output::text), 0) + coalesce(octet_length(error::text), 0)) from found
         ) end)::float8 as bytes, count <= ${MAX_OUTCOMES} as are_few from stored
       )
       select step_id as "stepId", tool, status, total.count, total.bytes,
         case when are_few and total.bytes <= $3 then output end as output,
         case when are_few and total.bytes <= $3 then error end as error
       from found, total order by position, step_id`,
        [organizationId, runId, maxBytes, hasErrors],
      );
    const [{ bytes, count } = { bytes: 0, count: 0 }] = rows;
    if (count > MAX_OUTCOMES) return { fault: `are of more than ${MAX_OUTCOMES} steps` };
    if (bytes > maxBytes) return { fault: `have more than ${maxBytes} bytes together` };
    return { steps: rows };
  }

  /** Returns the output of the last tool step that succeeded, and ignores the step `except`. */
  async lastOutput(organizationId: string, runId: string, except: string): Promise<object | null> {
    const [row] = await this.tenants.session(organizationId).query<{ output: object | null }>(
      `select output from run_steps where organization_id = $1 and run_id = $2 and tool is not null
         and status = 'succeeded' and step_id <> $3 order by position desc, step_id desc limit 1`,
      [organizationId, runId, except],
    );
    return row?.output ?? null;
  }

  /** Returns the values with which a run with the reason `returned:…` has ended. Returns undefined for other runs. */
  async returned({ organizationId, id, reason }: Run): Promise<object | undefined> {
    if (!reason?.startsWith(RETURNED)) return undefined;
    const [row] = await this.tenants
      .session(organizationId)
      .query<{ output: ReturnOutput }>(
        `select output from run_steps where organization_id = $1 and run_id = $2 and step_id = $3`,
        [organizationId, id, reason.slice(RETURNED.length)],
      );
    return row?.output.returned;
  }

  /** Returns the error of a step, and the time of the last start or end of a step. */
  async lastChange(
    organizationId: string,
    runId: string,
    stepId: string | undefined,
  ): Promise<{ at: Date | null; error: StepError | null }> {
    const [row] = await this.tenants
      .session(organizationId)
      .query<{ at: Date | null; error: StepError | null }>(
        `select greatest(max(started_at), max(finished_at)) as at, (select s.error from run_steps s
           where s.organization_id = $1 and s.run_id = $2 and s.step_id = $3) as error
         from run_steps where organization_id = $1 and run_id = $2`,
        [organizationId, runId, stepId ?? null],
      );
    return row!;
  }

  /**
   * Returns `limit` characters of the JSON text of a value, starting at `offset`. Returns null when there is no such
   * step or value.
   */
  async readText(
    organizationId: string,
    runId: string,
    {
      stepId,
      value,
      offset,
      limit,
    }: { stepId: string; value: StepValue; offset: number; limit: number },
  ): Promise<{ text: string; total: number } | null> {
    const [row] = await this.tenants.session(organizationId).query<{ text: string; total: number }>(
      `select substr(value, $4, $5) as text, length(value) as total from (
         select ${TEXTS[value]} as value from run_steps
         where organization_id = $1 and run_id = $2 and step_id = $3) s
       where value is not null`,
      [organizationId, runId, stepId, offset + 1, limit],
    );
    return row ?? null;
  }

  /**
   * Returns `limit` characters of the payload of an existing run, starting at `offset`. The text is null when the
   * payload is a file, and `total` then counts bytes.
   */
  async readPayload(
    organizationId: string,
    runId: string,
    offset: number,
    limit: number,
  ): Promise<{ text: string | null; total: number }> {
    const [row] = await this.tenants
      .session(organizationId)
      .query<{ text: string | null; total: number }>(
        `select substr(value, $3, $4) as text, coalesce(bytes, length(value)) as total from (
         select case when large_payload is null then convert_from(payload, 'UTF8') end as value,
           (large_payload ->> 'bytes')::integer as bytes
         from workflow_runs where organization_id = $1 and id = $2) r`,
        [organizationId, runId, offset + 1, limit],
      );
    return row!;
  }
}
