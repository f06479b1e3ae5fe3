import type { Client } from 'pg';
import type { StoredTable } from './stored-tables.js';

/** The largest number of names of a wait that are looked up. No definition has a wait for more events. */
const MOST_NAMES = 10;
/** The largest number of transactions with an event of one name that are compared with a wait. */
const MOST_TRANSACTIONS = 100;

/**
 * Gives all events, waits and segments the id of the transaction of the restore. The old ids mean nothing on another
 * server: an event from before the backup could end a wait that begins after the restore. A wait that began while the
 * transaction of an event was open gets the time of the event. So this event can still end the wait. For each name, a
 * wait is compared with the last 100 transactions that had such an event before the wait began.
 */
export async function renewTransactionIds(
  client: Client,
  tables: readonly StoredTable[],
): Promise<void> {
  const names = new Set(tables.map(({ name }) => name));
  if (names.has('public.segments')) {
    // A comparison of all contacts begins when all transactions before its barrier have ended.
    await client.query(
      'update public.segments set barrier = pg_current_xact_id()::text where barrier is not null',
    );
  }
  if (names.has('public.run_waits') && names.has('public.pending_events')) await renewWaits(client);
}

/**
 * SQL of a tool can store so many waits and events that comparing each wait with each event would take days. So the
 * events have an index by time, and each wait reads a limited number of them.
 */
async function renewWaits(client: Client): Promise<void> {
  // The backup of an older version can have longer names, which no wait has and which do not fit into an index.
  await client.query(
    `create table private.restored_events as
       select organization_id, name, xid, min(happened_at) as happened_at from public.pending_events
       where octet_length(name) <= 200 group by 1, 2, 3`,
  );
  await client.query(
    'create index on private.restored_events (organization_id, name, happened_at)',
  );
  await client.query('analyze private.restored_events');
  // A wait for one of several events has their names in its bindings. One wait whose bindings PostgreSQL cannot read, for
  // example because of U+0000, must not prevent the restore of all organizations. Such a wait fails in a worker too.
  await client.query(
    `create function private.names_of_wait(event text, bindings json) returns text[] language plpgsql as $$
     begin
       if event <> 'any' then
         return array[event];
       end if;
       return array(select json_array_elements_text(bindings -> '.events') limit ${MOST_NAMES});
     exception when data_exception or program_limit_exceeded then
       return '{}';
     end
     $$`,
  );
  // The subquery with "offset 0" parses the snapshot once, and not again for each event.
  await client.query(
    `update public.run_waits w set armed_xid = pg_current_xact_id()::text,
       armed_snapshot = pg_current_snapshot()::text,
       armed_at = least(w.armed_at, (
         select min(e.happened_at)
         from (select private.names_of_wait(w.event, w.bindings) as names, w.armed_snapshot::pg_snapshot as snapshot
             offset 0) own
           cross join unnest(own.names) as n (event)
           cross join lateral (select * from private.restored_events e
             where e.organization_id = w.organization_id and e.name = n.event and e.happened_at < w.armed_at
             order by e.happened_at desc limit ${MOST_TRANSACTIONS}) e
         where e.xid <> w.armed_xid and not pg_visible_in_snapshot(e.xid::xid8, own.snapshot)
       ))
     where w.state = 'armed'`,
  );
  await client.query('update public.pending_events set xid = pg_current_xact_id()::text');
  await client.query(
    'drop table private.restored_events; drop function private.names_of_wait(text, json)',
  );
}
