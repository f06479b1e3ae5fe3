import type { RunningSwitchboard } from '../support/switchboard.js';

/** Returns every row of an organization from all tables, read as the owner of the database. */
export async function dumpOrganization(
  switchboard: RunningSwitchboard,
  organizationId: string,
): Promise<Record<string, string[]>> {
  const tables = await switchboard.ownerQuery<{ name: string; key: string }>(`
    select c.relname as name, case c.relname when 'organizations' then 'id' else 'organization_id' end as key
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and c.relname not in ('migrations', 'call_log')
    order by 1`);
  const dump: Record<string, string[]> = {};
  for (const { name, key } of tables) {
    const rows = await switchboard.ownerQuery<{ row: string }>(
      // Leaves out entries of refused and failed calls. They are written in batches after the response, so a dump could
      // miss them.
      `select t::text as row from public."${name}" t
       where "${key}" = $1 ${name === 'audit_log' ? `and outcome = 'ok'` : ''} order by 1`,
      [organizationId],
    );
    dump[name] = rows.map(({ row }) => row);
  }
  return dump;
}
