import { keptContact } from '../../contacts/contact-statements.js';
import { prepared } from '../../database/driver/statement.js';
import type { RunLimits } from '../definitions/run-limits.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';
import type { LargePayload } from '../payloads/large-value.js';

export interface NewRun {
  id: string;
  workflowId: string;
  triggerType: RunTriggerType;
  payload: Buffer;
  /** The large values of the payload. Set when `payload` is the outline of a large payload. */
  largePayload?: LargePayload;
  request: TriggerRequest | null;
  /** The id of the contact. An unknown id is ignored. */
  contactId: string | null;
  /** The e-mail address by which the contact is found when `contactId` finds none. An unknown address is ignored. */
  contactEmail: string | null;
  dedupeKey: string | null;
  bodyHash: Buffer | null;
  depth: number;
  rootRunId: string | null;
  /** The reason with which the run is inserted as failed. When absent, the run is not refused. */
  refusal: string | null;
  /**
   * The seconds for which the run is inserted as claimed by this process, with epoch 1. When absent, the run is queued.
   * Use it only with {@link INSERT_WITHOUT_LIMITS}, because limits apply to queued runs only.
   */
  leaseSeconds: number | null;
  /** The `xmin` that the workflow row must still have. When absent, the run is inserted without this check. */
  revision: string | null;
}

export interface InsertedRun {
  contactId: string | null;
  limits: RunLimits | null;
}

/** The statement that inserts runs. {@link insertedValues} returns its values. */
export const INSERT = prepared(
  'runs_insert',
  insertRuns(
    'true',
    `id, contact_id as "contactId", (select l.trigger_options -> 'limits' from workflows l
       where l.organization_id = $1 and l.id = workflow_id) as limits`,
  ),
);

/** The statement that inserts runs as {@link INSERT} does, but leaves out runs of workflows with limits. */
export const INSERT_WITHOUT_LIMITS = prepared(
  'runs_insert_without_limits',
  insertRuns(
    `w.trigger_options -> 'limits' is null`,
    'id, contact_id as "contactId", null as limits',
  ),
);
/** Builds the INSERT of runs. `condition` further restricts the workflow `w`. */
function insertRuns(condition: string, returned: string): string {
  // The rows are ordered by key, because two statements with the same keys in different order would deadlock.
  return `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload,
      contact_id, dedupe_key, body_hash, depth, created_at, status, reason, finished_at, root_run_id, request, epoch,
      started_at, available_at, large_payload)
    select w.organization_id, g.id, w.id, w.version, g.trigger_type, g.payload,
      coalesce(
        ${keptContact('g.contact_id')},
        (select c.id from contacts c where c.organization_id = $1 and c.email = g.contact_email for key share),
        (select c.id from contacts c where c.organization_id = $1 and c.id =
          (select a.contact_id from contact_aliases a
           where a.organization_id = $1 and a.kind = 'email' and a.value = g.contact_email) for key share),
        case when g.contact_email is not null
          then public.surviving_contact(null, g.contact_email) end),
      g.dedupe_key, g.body_hash, g.depth, date_trunc('milliseconds', now()),
      case when g.refusal is not null then 'failed' when g.lease_seconds is null then 'queued' else 'running' end,
      g.refusal, case when g.refusal is not null then now() end, g.root_run_id, g.request,
      (g.lease_seconds is not null)::integer, case when g.lease_seconds is not null then clock_timestamp() end,
      now() + make_interval(secs => coalesce(g.lease_seconds, 0)), g.large_payload
    from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::bytea[],
        $10::integer[], $11::text[], $12::text[], $13::text[], $14::json[],
        $15::integer[], $16::json[])
      as g (id, workflow_id, trigger_type, payload, contact_id, contact_email, dedupe_key, body_hash, depth, refusal,
        root_run_id, revision, request, lease_seconds, large_payload)
    join workflows w on w.organization_id = $1 and w.id = g.workflow_id and w.active and w.deleted_at is null
      and (g.revision is null or w.xmin = g.revision::xid) and ${condition}
    order by g.dedupe_key
    on conflict on constraint workflow_runs_dedupe_key do nothing
    returning ${returned}`;
}

/** Returns the values of {@link INSERT} and {@link INSERT_WITHOUT_LIMITS}. */
export function insertedValues(organizationId: string, runs: readonly NewRun[]): unknown[] {
  return [
    organizationId,
    runs.map(({ id }) => id),
    runs.map(({ workflowId }) => workflowId),
    runs.map(({ triggerType }) => triggerType),
    runs.map(({ payload }) => payload),
    runs.map(({ contactId }) => contactId),
    runs.map(({ contactEmail }) => contactEmail),
    runs.map(({ dedupeKey }) => dedupeKey),
    runs.map(({ bodyHash }) => bodyHash),
    runs.map(({ depth }) => depth),
    runs.map(({ refusal }) => refusal),
    runs.map(({ rootRunId }) => rootRunId),
    runs.map(({ revision }) => revision),
    runs.map(({ request }) => request && JSON.stringify(request)),
    runs.map(({ leaseSeconds }) => leaseSeconds),
    runs.map(({ largePayload }) => (largePayload ? JSON.stringify(largePayload) : null)),
  ];
}
