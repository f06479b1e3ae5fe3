import { nextCursor } from '../../api/page-readers.ts';
import {
  type Read,
  boolean,
  dictionary,
  json,
  list,
  nullable,
  number,
  optional,
  record,
  text,
} from '../../api/reader.ts';

const workflow = record({
  id: text,
  name: text,
  active: boolean,
  version: number,
  trigger: dictionary(json),
  steps: list(dictionary(json)),
  on_failure: optional(list(dictionary(json))),
  webhook_url: nullable(text),
  next_times: optional(list(text)),
  created_at: text,
  updated_at: text,
});
export type Workflow = Read<typeof workflow>;

/** The facts about a secret that the editor shows. */
export const secretNames = record({
  secrets: list(record({ name: text, kind: text, hosts: list(text) })),
});

export const workflowPage = record({ workflows: list(workflow), next_cursor: nextCursor });
export const workflowResult = record({ workflow });
export const savedWorkflow = record({ workflow, secret: nullable(text) });
export const deletedWorkflow = record({ deleted: boolean });

const summary = {
  version: number,
  current: boolean,
  saved_at: text,
  saved_by: nullable(record({ kind: text, id: text })),
  restored_from: nullable(number),
};
export const versionPage = record({ versions: list(record(summary)), next_cursor: nextCursor });
export type VersionSummary = Read<typeof versionPage>['versions'][number];

const change = record({ path: text, before: json, after: json });
export type Change = Read<typeof change>;
export const versionsDiff = record({
  from: number,
  to: number,
  is_whole: boolean,
  changes: list(change),
  steps: list(
    record({
      id: text,
      change: text,
      from: nullable(text),
      to: nullable(text),
      changes: list(change),
    }),
  ),
});

export type Diff = Read<typeof versionsDiff>;

export const deliveriesResult = record({
  test_url: nullable(text),
  previous_secret_until: nullable(text),
  deliveries: list(
    record({
      id: text,
      received_at: text,
      kind: text,
      status: number,
      code: text,
      run_id: nullable(text),
      headers: dictionary(json),
      body_bytes: nullable(number),
      body_sha256: nullable(text),
      payload: json,
      mistakes: list(record({ code: text, advice: text })),
    }),
  ),
});
export type Delivery = Read<typeof deliveriesResult>['deliveries'][number];

export const schemaResult = record({ schema: dictionary(json) });

export const startedRun = record({ run_id: text });
export const dryRunResult = record({
  effects: list(record({ action: text, table: text, id: text })),
  truncated: optional(boolean),
});
export type DryRun = Read<typeof dryRunResult>;
