import type { EventName } from '../../events/domain-events.js';
import type { AnswerType } from './webhook-answer.js';

/** A step of a workflow. `steps/` has a file for each kind. */
export type Step =
  | ToolStep
  | CodeStep
  | BranchStep
  | WaitStep
  | EventWaitStep
  | RunWorkflowStep
  | ForEachStep
  | ParallelStep
  | RaceStep
  | StopStep
  | RespondStep
  | SetStep
  | ReturnStep
  | FailureStep
  | TimeoutStep;

/** The reaction of a run to a failed step: it fails, continues, or continues with these steps. */
export type OnError = 'fail' | 'continue' | Step[];

interface StepBase {
  id: string;
  /** The Liquid condition. The step is skipped when it is false. */
  if?: string;
  on_error?: OnError;
}

/** A step that calls a tool. `arguments` may contain Liquid expressions. `timeout` is in seconds. */
export interface ToolStep extends StepBase {
  tool: string;
  arguments?: Record<string, unknown>;
  retry?: RetryPolicy;
  timeout?: number;
}

/**
 * A step that runs JavaScript. `input` may contain Liquid expressions, and the code sees it as `input`. `timeout` is in
 * seconds.
 */
export interface CodeStep extends StepBase {
  code: string;
  input?: Record<string, unknown>;
  retry?: RetryPolicy;
  timeout?: number;
}

/**
 * The limits of the attempts of a step. The first pause is `backoff_seconds`. Each later pause is the previous pause
 * times `backoff_factor`.
 */
export interface RetryPolicy {
  max_attempts?: number;
  backoff_seconds?: number;
  backoff_factor?: number;
}

/** A step that runs one of two lists of steps. */
export interface BranchStep extends StepBase {
  if: string;
  then: Step[];
  else?: Step[];
}

export type WaitUnit = 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months';

/**
 * A step that waits for a duration or until a time. A duration is a number, or an expression that returns a number.
 * `until` is RFC 3339 text, a local time, or an expression that returns one of these texts. Local times and months use
 * `timezone`, or the time zone of the contact when `timezone` is absent.
 */
export interface WaitStep extends StepBase {
  wait: Partial<Record<WaitUnit, number | string>> & {
    until?: string;
    timezone?: string;
    weekdays?: string[];
  };
}

/**
 * A step that waits for an event, one of several events, a call of the step's resume URL, or a timeout. The inner `if`
 * is a condition on the event. `any_contact` also accepts events about contacts other than the run's.
 */
export interface EventWaitStep extends StepBase {
  wait_for_event: {
    /** The event. Either `event` or `events` is present. */
    event?: EventName | 'resume';
    events?: EventName[];
    if?: string;
    any_contact?: boolean;
    timeout: WaitStep['wait'];
  };
}

/**
 * A step that starts a run of another workflow and, by default, waits for the end of that run. By default, the new run
 * has the contact of the run with this step.
 */
export interface RunWorkflowStep extends StepBase {
  /** The id of the workflow, or an expression that returns it. */
  run_workflow: string;
  payload?: Record<string, unknown>;
  contact_id?: string;
  /** False when the step does not wait for the end of the new run. */
  wait?: boolean;
  timeout?: WaitStep['wait'];
  /** The treatment of the started run when this run is canceled during the wait. The default is `cancel`. */
  on_parent_end?: OnParentEnd;
  /**
   * The policy for starting another run after the started run has failed. Without this policy, only a failed start is
   * repeated.
   */
  retry?: RetryPolicy;
}

export type OnParentEnd = 'cancel' | 'continue';

/** A step that runs its steps once for each item of a list or of all pages, at most `concurrency` items at a time. */
export interface ForEachStep extends StepBase {
  /** The steps that read one page. They see `cursor`, which is null for the first page. */
  pages?: Step[];
  /** An expression that returns the cursor of the next page. There is no next page when it gives null, false or "". */
  next?: string;
  /** A list, or an expression that returns one. With `pages`, the expression returns the items of one page. */
  for_each: string | unknown[];
  /** The largest number of items in a batch. With it, the steps get lists of items in place of single items. */
  batch?: number;
  /** The name of the item in expressions. The default is `item`. */
  as?: string;
  concurrency?: number;
  steps: Step[];
  /** The value of each item, evaluated after its steps. When present, the results of the loop are these values. */
  output?: unknown;
}

/** A step that runs several lists of steps at the same time, and ends when all of them have ended. */
export interface ParallelStep extends StepBase {
  parallel: Step[][];
}

/**
 * A step that runs several lists of steps at the same time, and ends when the first list has ended. The steps of the
 * other lists are canceled.
 */
export interface RaceStep extends StepBase {
  race: Step[][];
}

/** A step that ends the run. `reason` may contain Liquid expressions. */
export interface StopStep extends StepBase {
  stop: StopStatus;
  reason?: string;
}

/**
 * A step that answers the sender of the webhook that started the run. All texts may contain Liquid expressions. The
 * default is an empty answer with the status 200.
 */
export interface RespondStep extends StepBase {
  respond: {
    status?: number | string;
    type?: AnswerType;
    headers?: Record<string, string>;
    /** The body: any JSON value for the type `json`, which is the default, and text for the other types. */
    body?: unknown;
  };
}

/** A step that stores values, which later steps read as `vars.NAME`. Texts may contain Liquid expressions. */
export interface SetStep extends StepBase {
  set: Record<string, unknown>;
}

/**
 * A step that ends the run as succeeded. These values are the result of the run. Texts may contain Liquid expressions.
 */
export interface ReturnStep extends StepBase {
  return: Record<string, unknown>;
}

/**
 * A step that runs its steps after a failure that ends the run. It is generated from `on_failure` of the definition.
 */
export interface FailureStep extends StepBase {
  on_failure: Step[];
}

/**
 * A step that ends the run as failed when this time has passed. It is generated from `run_timeout_seconds` of the
 * trigger.
 */
export interface TimeoutStep extends StepBase {
  run_timeout_seconds: number;
}

export type StopStatus = 'succeeded' | 'failed';
