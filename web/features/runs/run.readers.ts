import { nextCursor } from '../../api/page-readers.ts';
import {
  type Read,
  dictionary,
  isObject,
  json,
  list,
  nullable,
  number,
  optional,
  record,
  text,
} from '../../api/reader.ts';

const cutValue = record({ bytes: number, preview: text });
export type CutValue = Read<typeof cutValue>;

const step = record({
  id: text,
  tool: nullable(text),
  status: text,
  attempts: number,
  input: json,
  output: json,
  cut: optional(record({ input: optional(cutValue), output: optional(cutValue) })),
  progress: optional(
    record({
      done: number,
      total: optional(number),
      pages: optional(number),
      failed: number,
      failures: list(record({ index: number, step: text, code: text, message: text })),
    }),
  ),
  error: json,
  failed_attempts: list(record({ attempt: number, failed_at: text, error: json })),
  started_at: nullable(text),
  finished_at: nullable(text),
});
export type RunStep = Read<typeof step>;

const run = record({
  id: text,
  workflow_id: text,
  workflow_version: number,
  status: text,
  reason: nullable(text),
  trigger: record({
    type: text,
    payload: json,
    payload_cut: optional(cutValue),
    method: optional(text),
    headers: json,
    query: json,
    received_at: optional(text),
  }),
  contact_id: nullable(text),
  replay_of: nullable(text),
  created_at: text,
  started_at: nullable(text),
  finished_at: nullable(text),
  step_count: number,
  steps: list(step),
});
export type Run = Read<typeof run>;

export const runPage = record({ runs: list(run), next_cursor: nextCursor });
export const runResult = record({ run });
export const runStepsResult = record({ run, output: optional(json), next_cursor: nextCursor });
export const runValuePart = record({ text, total: number, next_cursor: nextCursor });
export const bulkResult = record({
  done: number,
  run_ids: list(text),
  refused: list(record({ run_id: text, code: text, message: text })),
  next_cursor: nextCursor,
});
export const bulkPreview = record({ result: bulkResult });

/** Reads an object with any members, so that a result of unknown form can be shown. */
export const anyObject = dictionary(json);

/**
 * Returns the code and the message of an error that a step has stored. The code is translated if it has a translation.
 * Returns undefined for an error in another form.
 */
export function errorMessage(
  error: unknown,
  words: Readonly<Record<string, string>>,
): string | undefined {
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  const { code, message } = error;
  return typeof code === 'string' ? `${words[code] ?? code}: ${message}` : message;
}

/**
 * A step waits for one of these events, or for the end of a run. If both are absent, the step waits only for a time.
 */
export interface StepWaiting {
  readonly events: readonly string[];
  /** The step waits for the end of the run with this id. */
  readonly runId: string | undefined;
  /** The end of the wait. Undefined when the step waits for its next attempt. */
  readonly until: string | undefined;
}

/**
 * Returns the events, the run or the time for which a step waits, from its output. Returns undefined if the step does
 * not wait.
 */
export function waitOf({ status, output, error }: RunStep): StepWaiting | undefined {
  if (status !== 'waiting') return undefined;
  if (!isObject(output) || typeof output.until !== 'string') {
    return error === null ? undefined : { events: [], runId: undefined, until: undefined };
  }
  const { event, events, run_id: runId, until } = output;
  const names: unknown[] = Array.isArray(events) ? events : [event];
  return {
    events: names.filter((name) => typeof name === 'string'),
    runId: typeof runId === 'string' ? runId : undefined,
    until,
  };
}

const keptFile = record({ id: text, name: text, size: number });
export type KeptFile = Read<typeof keptFile>;

/** Returns the file that a step has kept, or undefined if it kept none. */
export function fileOf({ tool, output }: RunStep): KeptFile | undefined {
  if (tool !== 'http_request' || !isObject(output) || !isObject(output.file)) return undefined;
  return keptFile(output.file, 'file');
}
