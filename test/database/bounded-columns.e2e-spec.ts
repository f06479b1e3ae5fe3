import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';

/** Bytes that an index entry may have. PostgreSQL allows 2,704, and the entry has a header and other small columns. */
const MOST_OF_AN_INDEX = 2600;
/** Bytes of the id of an organization, which SQL of a tool cannot choose. */
const ORGANIZATION_ID = 40;
/** More bytes than each of the texts has to which a check limits a column. */
const LISTED_TEXT = 40;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly checks: string[];
  /** The column that a foreign key refers to. */
  readonly parent: string | null;
}

describe('every column that SQL of a tool can write', () => {
  let client: Client;
  let drop: () => Promise<void>;
  let columns: Map<string, Column>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Column>(
      `select c.relname as table, a.attname as name,
         array(select pg_get_constraintdef(k.oid) from pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any(k.conkey)) as checks,
         (select f.confrelid::regclass || '.' || p.attname
          from pg_constraint f cross join unnest(f.conkey, f.confkey) pair (own, other)
          join pg_attribute p on p.attrelid = f.confrelid and p.attnum = pair.other
          where f.conrelid = c.oid and f.contype = 'f' and pair.own = a.attnum limit 1) as parent
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
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
    const { name: column, checks, parent } = columns.get(name)!;
    const bounds = checks.flatMap((check) => [
      ...numbers(check, `octet_length\\(\\(*${column}(?:\\)::text\\))?\\) <= (\\d+)`, 1),
      ...numbers(check, `(?:char_)?length\\(${column}\\) <= (\\d+)`, 4),
      ...numbers(check, `${column} ~ '[^']*\\{\\d+,(\\d+)\\}\\$'`, 1).map((most) => most + 1),
      ...(new RegExp(`\\(${column} = ANY \\(ARRAY\\[`).test(check) ? [LISTED_TEXT] : []),
    ]);
    if (bounds.length > 0) return Math.min(...bounds);
    return parent === null || parent === name ? undefined : boundOf(parent);
  }

  it('has a largest size', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct p.target || '.' || a.attname as name
       from private.tenant_privileges() p
       join pg_attribute a on a.attrelid = p.target and a.attnum > 0 and not a.attisdropped
         and (p.columns is null or a.attname = any(p.columns))
       where p.privilege in ('insert', 'update') order by name`,
    );
    const writable = rows.map(({ name }) => name).filter((name) => columns.has(name));
    expect(writable.length).toBeGreaterThan(200);
    const isChecked = (name: string): boolean =>
      boundOf(name) !== undefined || columns.get(name)!.checks.length > 0;
    expect(writable.filter((name) => !isChecked(name))).toEqual([]);
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

function numbers(check: string, pattern: string, factor: number): number[] {
  return [...check.matchAll(new RegExp(pattern, 'g'))].map(([, most]) => Number(most) * factor);
}
