import type { RunningSwitchboard } from './switchboard.js';

/** Describes an effect as a dry run reports it. */
export interface TestEffect {
  action: 'create' | 'update' | 'delete';
  table: string;
  id: string;
  changed?: string[];
}

/** The rows of an organization, by table and key. Leaves out bookkeeping and the time of the last use of API keys. */
export type OrganizationRows = Map<string, Record<string, unknown>>;

const BOOKKEEPING = [
  'audit_log',
  'call_log',
  'consent_changes',
  'event_interests',
  'file_chunks',
  'idempotency_keys',
  'import_chunks',
  'import_faults',
  'import_keys',
  'message_events',
  'migrations',
  'parked_runs',
  'pending_events',
  'run_waits',
  'segment_changes',
  'segment_evaluations',
  'webhook_deliveries',
];

export async function readRows(
  switchboard: RunningSwitchboard,
  organizationId: string,
): Promise<OrganizationRows> {
  const tables = await switchboard.ownerQuery<{ name: string; owner: string; key: string }>(
    `select c.relname as name,
       case c.relname when 'organizations' then 'id' else 'organization_id' end as owner,
       (select string_agg(format('t.%I', a.attname), ', ' order by k.place)
        from pg_index i, unnest(i.indkey) with ordinality as k (number, place), pg_attribute a
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number
          and (a.attname <> 'organization_id' or i.indnkeyatts = 1)) as key
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)`,
    [BOOKKEEPING],
  );
  const found: OrganizationRows = new Map();
  for (const { name, owner, key } of tables) {
    const rows = await switchboard.ownerQuery<{ id: string; row: string }>(
      `select concat_ws('/', ${key}) as id, row_to_json(t)::text as row from public."${name}" t where "${owner}" = $1`,
      [organizationId],
    );
    for (const { id, row } of rows) {
      const columns = Object.entries(JSON.parse(row) as Record<string, unknown>);
      // The last use of a key is written a moment after the call.
      const kept = columns.filter(([column]) => !column.startsWith('last_used_'));
      found.set(`${name} ${id}`, Object.fromEntries(kept));
    }
  }
  return found;
}

/** Returns the differences between two results of `readRows` as effects, sorted. */
export function effectsBetween(before: OrganizationRows, after: OrganizationRows): TestEffect[] {
  const effects: TestEffect[] = [];
  for (const at of new Set([...before.keys(), ...after.keys()])) {
    const [table, id] = at.split(' ') as [string, string];
    const [old, present] = [before.get(at), after.get(at)];
    if (!old) effects.push({ action: 'create', table, id });
    else if (!present) effects.push({ action: 'delete', table, id });
    else {
      const changed = Object.keys(old).filter(
        (column) => JSON.stringify(old[column]) !== JSON.stringify(present[column]),
      );
      if (changed.length > 0) effects.push({ action: 'update', table, id, changed });
    }
  }
  return sorted(effects);
}

/** Replaces the ids of new rows, which differ in each run, so that effects can be compared. */
export function withoutNewIds(effects: TestEffect[], before: OrganizationRows): TestEffect[] {
  const known = JSON.stringify([...before.entries()]);
  return sorted(
    effects.map((effect) => ({
      ...effect,
      // Selectors of DKIM keys are shorter than ids, so they have their own pattern.
      id: effect.id.replace(
        /([a-z]+_)?[0-9A-Za-z]{22,32}|^sb[0-9a-z]{12}$/g,
        (id, prefix: string = '') => (known.includes(id) ? id : `${prefix}new`),
      ),
      ...(effect.changed && { changed: effect.changed.toSorted() }),
    })),
  );
}

function sorted(effects: TestEffect[]): TestEffect[] {
  const text = (effect: TestEffect) => `${effect.table} ${effect.id} ${effect.action}`;
  return effects.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}
