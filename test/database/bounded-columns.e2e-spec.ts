import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';

/** Bytes that an index entry may have. PostgreSQL allows 2,704, and the entry has a header and other small columns. */
const MOST_OF_AN_INDEX = 2600;
/** Bytes of the id of an organization, which SQL of a tool cannot choose. */
const ORGANIZATION_ID = 40;
/** More bytes than each of the texts has to which a list or a pattern limits a column. */
const LISTED_TEXT = 40;

/** The tables and columns that need no check of their size, each with the reason. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  api_keys: 'only functions of the gate write it',
  audit_log: 'only entries that the service signed are written',
  call_log: 'only functions of the gate write it',
  memberships: 'only functions of the gate write it',
  organizations: 'only functions of the gate write it',
  sender_domains: 'only domains that the service signed are written',
  'run_waits.bindings': 'the trigger bound_values limits it',
  'run_waits.payload': 'the trigger bound_values limits it',
  'workflow_runs.answer': 'the trigger bound_values limits it',
  'workflow_runs.request': 'the trigger bound_request limits it',
  'workflow_runs.earlier_begins': 'functions of the gate write as many times as a limit has runs',
};
/** The columns that triggers copy from another column. */
const COPIES: Readonly<Record<string, string>> = {
  'consent_changes.recorded_for': 'contacts.id',
  'message_events.reason': 'messages.status_reason',
  'message_events.status': 'messages.status',
};

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly checks: string[];
  /** The column that a foreign key refers to. */
  readonly parent: string | null;
}

describe('every column of an organization', () => {
  let client: Client;
  let drop: () => Promise<void>;
  let columns: Map<string, Column>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Column>(
      `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
         array(select pg_get_constraintdef(k.oid) from pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any(k.conkey)) as checks,
         (select f.confrelid::regclass || '.' || p.attname
          from pg_constraint f cross join unnest(f.conkey, f.confkey) pair (own, other)
          join pg_attribute p on p.attrelid = f.confrelid and p.attnum = pair.other
          where f.conrelid = c.oid and f.contype = 'f' and pair.own = a.attnum limit 1) as parent
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
       where c.relnamespace = 'public'::regnamespace and c.relforcerowsecurity and a.attnum > 0
         and not a.attisdropped and t.typlen = -1 and t.typname <> 'numeric'`,
    );
    columns = new Map(rows.map((column) => [`${column.table}.${column.name}`, column]));
  });
  afterAll(async () => {
    await client.end();
    await drop();
  });

  /** Returns the largest number of bytes that the column can have, or undefined when nothing limits it. */
  function boundOf(name: string): number | undefined {
    if (name.endsWith('.organization_id') || name === 'organizations.id') return ORGANIZATION_ID;
    const column = columns.get(COPIES[name] ?? name);
    if (!column) return undefined;
    const { checks, parent } = column;
    const ofParent = parent === null || parent === name ? undefined : boundOf(parent);
    const bounds = checks.flatMap((check) => boundsIn(check, column));
    if (ofParent !== undefined) bounds.push(ofParent);
    return bounds.length > 0 ? Math.min(...bounds) : undefined;
  }

  it('has a largest size, unless only the service fills it', () => {
    const reachable = [...columns.values()].filter(
      ({ table, name }) => !(table in UNREACHABLE) && !(`${table}.${name}` in UNREACHABLE),
    );
    expect(reachable.length).toBeGreaterThan(250);
    const names = reachable.map(({ table, name }) => `${table}.${name}`);
    expect(names.filter((name) => boundOf(name) === undefined)).toEqual([]);
  });

  it('has a size with which a row can enter each index of its table', async () => {
    const { rows } = await client.query<{ index: string; columns: string[] }>(
      `select i.indexrelid::regclass::text as index, array_agg(c.relname || '.' || a.attname) as columns
       from pg_index i join pg_class c on c.oid = i.indrelid join pg_class ic on ic.oid = i.indexrelid
       join pg_am m on m.oid = ic.relam and m.amname = 'btree'
       cross join lateral unnest(i.indkey::int2[]) as key (attnum)
       join pg_attribute a on a.attrelid = c.oid and a.attnum = key.attnum
       where c.oid in (select p.target from private.tenant_privileges() p where p.privilege in ('insert', 'update'))
       group by 1`,
    );
    expect(rows.length).toBeGreaterThan(80);
    const tooLarge = rows.flatMap(({ index, columns: own }) => {
      const sizes = own
        .filter((name) => columns.has(name))
        .map((name) => [name, boundOf(name)] as const);
      const total = sizes.reduce((sum, [, size]) => sum + (size ?? Infinity), 0);
      return total <= MOST_OF_AN_INDEX ? [] : [{ index, sizes }];
    });
    expect(tooLarge).toEqual([]);
  });
});

/** Returns the limits, in bytes, that a check sets for a column. */
function boundsIn(check: string, { name, type }: Column): number[] {
  const ofBytes = `octet_length\\((?:${name}|"${name}"|\\(${name}\\)::text)\\)`;
  const ofSum = '(?:, 0\\)+(?: \\+ COALESCE\\(octet_length\\(\\w+\\), 0\\)+)*)?';
  // A small stored value can have a long text: `1e131071` takes 16 bytes in jsonb, and a NULL takes a bit in an array.
  const size = new RegExp(`pg_column_size\\(${name}\\) <= (\\d+)`).exec(check)?.[1];
  const bytes = numbers(check, `${ofBytes}${ofSum} <= (\\d+)`).filter(
    (most) => size === undefined || (type === 'json' && Number(size) <= most / 256),
  );
  return [
    ...bytes,
    ...numbers(check, `(?:char_)?length\\(${name}\\) <= (\\d+)`).map((most) => 4 * most),
    ...numbers(check, `${name} ~ '[^']*\\{\\d+,(\\d+)\\}\\)?\\$'`).map((most) => most + 1),
    ...(new RegExp(`\\(${name} = ANY \\(ARRAY\\[|\\(${name} ~ '\\^[^'*+,]*\\$'`).test(check)
      ? [LISTED_TEXT]
      : []),
  ];
}

function numbers(check: string, pattern: string): number[] {
  return [...check.matchAll(new RegExp(pattern, 'g'))].map(([, most]) => Number(most));
}
