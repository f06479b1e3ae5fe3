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
export const workflowNames = record({
  workflows: list(record({ id: text, name: text })),
  next_cursor: nextCursor,
});

/** Reads an object with any members, so that a result of unknown form can be shown. */
export const anyObject = dictionary(json);

/** Returns the message of an error that a step has stored. Returns undefined for an error in another form. */
export function errorMessage(error: unknown): string | undefined {
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  return typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message;
}

/** Returns until when a step waits: the output of a wait that has not ended has that time. */
export function waitsUntil({ status, output }: RunStep): string | undefined {
  if (status !== 'waiting' || !isObject(output)) return undefined;
  return typeof output.until === 'string' ? output.until : undefined;
}

const keptFile = record({ id: text, name: text, size: number });
export type KeptFile = Read<typeof keptFile>;

/** Returns the file that a step has kept, or undefined if it kept none. */
export function fileOf({ tool, output }: RunStep): KeptFile | undefined {
  if (tool !== 'http_request' || !isObject(output) || !isObject(output.file)) return undefined;
  return keptFile(output.file, 'file');
}
