import { CreatedContactResult } from '../../contacts/contact.results.js';
import { PageResult } from '../../paging/paging.js';
import { Doc } from '../../tools/schema/doc.decorator.js';
import {
  Choice,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  Text,
  Timestamp,
} from '../../tools/schema/fields.js';
import { RUN_STATUSES, type RunStatus } from '../journal/run.entity.js';

export class FailedAttemptView {
  @Integer('Counted from 1, and again from 1 when the run is retried.')
  attempt: number;

  @Timestamp()
  failed_at: string;

  @JsonObject('{code, message, details?}.')
  error: object;
}

export const STEP_VIEW_STATUSES = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'canceled',
] as const;

/** The progress of a loop whose finished iterations are folded into one row. `done` counts those iterations. */
export interface LoopProgressView {
  done: number;
  /** Absent for a loop over pages, because the number of its items is unknown. */
  total?: number;
  pages?: number;
  failed: number;
  failures: readonly object[];
}

export class RunStepView {
  @Text('Id of the step in the definition.')
  id: string;

  @Text('Tool that the step calls; null for a branch or a wait.', { nullable: true })
  tool: string | null;

  @Choice(STEP_VIEW_STATUSES, 'waiting: for a time, an event or the next attempt.')
  status: (typeof STEP_VIEW_STATUSES)[number];

  @Integer('Number of attempts.')
  attempts: number;

  @Doc('Arguments after expressions were evaluated. Always null in lists.')
  @JsonObject({ nullable: true })
  input: object | null;

  @Doc(
    'Result of the tool, branch, or end of the wait. Null in lists, and when output_cut is given.',
  )
  @JsonObject({ nullable: true })
  output: object | null;

  @JsonObject(
    'Sizes and beginnings of large values, shown as null: {input?, output?: {bytes, preview}}.',
    {
      optional: true,
    },
  )
  cut?: object;

  @JsonObject({ optional: true })
  progress?: LoopProgressView;

  @JsonObject('Error of the last attempt: {code, message, details?}.', { nullable: true })
  error: object | null;

  @Doc('All failed attempts, including those before a retry of the run. Always empty in lists.')
  @ListOf(() => FailedAttemptView)
  failed_attempts: FailedAttemptView[];

  @Timestamp({ nullable: true })
  started_at: string | null;

  @Timestamp({ nullable: true })
  finished_at: string | null;
}

export class RunView {
  @Text('Id of the run.')
  id: string;

  @Text('Id of the workflow.')
  workflow_id: string;

  @Integer('Version of the workflow that the run uses.')
  workflow_version: number;

  @Doc('queued, running and waiting can change; succeeded, failed and canceled are final.')
  @Choice(RUN_STATUSES)
  status: RunStatus;

  @Doc(
    'Reason for a wait (wait, retry, event), an end (step_failed:<step id>, poison: three workers died, ' +
      'requested) or no start (loop: 8 runs in a chain or 10,000 in total, rate_limited, filter_failed).',
  )
  @Text({ nullable: true })
  reason: string | null;

  @Doc('{type, payload}, or {type, payload_cut} for a large payload; lists leave out the payload.')
  @JsonObject()
  trigger: object;

  @Text('Contact that the run is about.', { nullable: true })
  contact_id: string | null;

  @Text('The replayed run.', { nullable: true })
  replay_of: string | null;

  @Timestamp('Time of acceptance. RFC 3339, UTC.')
  created_at: string;

  @Timestamp({ nullable: true })
  started_at: string | null;

  @Timestamp({ nullable: true })
  finished_at: string | null;

  @Integer('Steps reached.')
  step_count: number;

  @ListOf(() => RunStepView, 'In order of execution; lists show the last ten.')
  steps: RunStepView[];
}

export class RunResult {
  @Nested(() => RunView)
  run: RunView;
}

export class RunStepsResult extends RunResult {
  @JsonObject({ optional: true })
  output?: object;

  @Text('Cursor of the next steps.', { nullable: true })
  next_cursor: string | null;
}

export class RunValueResult {
  @Text()
  text: string;

  @Integer('Characters of the whole text; bytes of a payload over 1 MiB.')
  total: number;

  @Text({ nullable: true })
  next_cursor: string | null;
}

export class RunPage extends PageResult {
  @ListOf(() => RunView)
  runs: RunView[];
}

/** The result of a call of an offered workflow. */
export class OfferedRunResult {
  @Text('Id of the run, for get_run.')
  run_id: string;

  @Choice(['succeeded', 'running'], 'running: it has not ended yet.')
  status: 'succeeded' | 'running';

  @JsonObject('Result of the run, if it has succeeded.', { optional: true })
  output?: object;

  @Text('Advice on what to do next, if any.', { optional: true })
  message?: string;
}

/**
 * A started run. The call returns the id immediately. A caller that takes the run as a task gets the outputs of its
 * steps when the run has succeeded. Only `get_run` has inputs, payload and times, because models rarely need them.
 */
export class TriggeredRunResult {
  @Text('Id of the run, for get_run.')
  run_id: string;

  @Choice(['succeeded'], 'Only in a task that has ended.', { optional: true })
  status?: 'succeeded';

  @Doc('Only in ended tasks: outputs by step id.')
  @JsonObject({ optional: true })
  outputs?: object;

  @Text('Only if the outputs are too large to be shown.', { optional: true })
  message?: string;
}

export class DroppedFieldView {
  @Text('Path of the field.')
  path: string;

  @Text('Fault of the value.')
  message: string;
}

export class RunContactResult extends CreatedContactResult {
  @ListOf(() => DroppedFieldView, 'Fields that were left out, because they are invalid.', {
    optional: true,
  })
  dropped?: DroppedFieldView[];
}
