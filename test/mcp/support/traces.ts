import type { TestOrganization } from '../../support/organization.js';
import type { RunningSwitchboard } from '../../support/switchboard.js';

/** Returns the texts of the calls of `note` and similar tools, or of `actions`, in the order of their commits. */
export async function tracesOf(
  switchboard: RunningSwitchboard,
  organization: TestOrganization,
  actions = '%note',
): Promise<string[]> {
  const rows = await switchboard.ownerQuery<{ subject: string }>(
    `select subject from audit_log
     where organization_id = $1 and action like $2 and outcome = 'ok' order by id`,
    [organization.id, actions],
  );
  return rows.map((row) => row.subject);
}
