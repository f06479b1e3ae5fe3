import type { TestOrganization } from '../../support/organization.js';
import type { RunningSwitchboard } from '../../support/switchboard.js';

export interface Backlog {
  status?: 'queued' | 'running' | 'waiting';
  /** The time from now at which the runs become due, in seconds. It is negative for the past. */
  secondsFromNow?: number;
}

/** Inserts runs directly into the table. By default they are queued, and have been due for an hour. */
export async function insertRuns(
  switchboard: RunningSwitchboard,
  organization: Pick<TestOrganization, 'id'>,
  workflowId: string,
  count: number,
  { status = 'queued', secondsFromNow = -3600 }: Backlog = {},
): Promise<void> {
  // Without this setting, the checks of foreign keys would take most of the time.
  await switchboard.ownerQuery('set session_replication_role = replica');
  await switchboard.ownerQuery(
    `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, status, trigger_type, payload,
       available_at)
     select $1, 'run_' || $2 || '_' || $3 || '_' || $5::int || '_' || n, $2, 1, $3, 'manual', '{}',
       now() + make_interval(secs => $5::int + n / 1e6)
     from generate_series(1, $4::int) n`,
    [organization.id, workflowId, status, count, secondsFromNow],
  );
  await switchboard.ownerQuery('set session_replication_role = origin');
}

/** Returns how many runs of `others` ended before the last run of the organization. */
export async function endedBefore(
  switchboard: RunningSwitchboard,
  organization: Pick<TestOrganization, 'id'>,
  others: Pick<TestOrganization, 'id'>,
): Promise<number> {
  const [row] = await switchboard.ownerQuery<{ ended: number }>(
    `select count(*)::int as ended from workflow_runs where organization_id = $2 and finished_at <
       (select max(finished_at) from workflow_runs where organization_id = $1)`,
    [organization.id, others.id],
  );
  return row!.ended;
}

export async function countRuns(
  switchboard: RunningSwitchboard,
  organization: Pick<TestOrganization, 'id'>,
  status: string,
): Promise<number> {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    `select count(*)::int from workflow_runs where organization_id = $1 and status = $2`,
    [organization.id, status],
  );
  return row!.count;
}
