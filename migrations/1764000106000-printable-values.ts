import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const ID = 100;

/** The largest number of bytes of each column, as text. */
type Bounds = Readonly<Record<string, number>>;

interface Replaced {
  readonly texts?: Bounds;
  /** Columns of the types `jsonb` and array. */
  readonly values: Bounds;
  readonly json?: Bounds;
}

/** The columns of the checks that this migration replaces, by table. No limit changes. */
const REPLACED: Readonly<Record<string, Replaced>> = {
  contact_merges: {
    texts: { merged_id: ID, survivor_id: ID },
    values: { moved: 64 * MIB },
  },
  contact_properties: { values: { options: MIB } },
  contacts: {
    texts: {
      id: ID,
      external_id: 1100,
      email: 1100,
      phone: ID,
      first_name: 64 * KIB,
      last_name: 64 * KIB,
      locale: KIB,
      timezone: KIB,
      search_text: 8 * MIB,
    },
    values: { tags: 4 * MIB, properties: 8 * MIB, consent: 4 * MIB },
  },
  message_digests: { values: { variables: 16 * MIB, items: 64 * MIB } },
  segments: {
    texts: { id: ID, name: KIB, description: 64 * KIB, position: KIB, barrier: ID },
    values: { uses: 64 * KIB },
  },
  sending_rules: { texts: { timezone: KIB }, values: { caps: MIB } },
  topic_subscriptions: { values: { evidence: MIB } },
  workflow_versions: {
    values: { tool_schemas: 8 * MIB, fitting_schemas: 8 * MIB },
    json: { loose_references: 8 * MIB },
  },
};

/** The columns that had no limit, by table. */
const ADDED: readonly { table: string; name: string; bounds: Bounds }[] = [
  { table: 'consent_changes', name: 'evidence', bounds: { evidence: MIB } },
  { table: 'contact_merges', name: 'record', bounds: { into_id: ID, undo: 64 * MIB } },
  {
    table: 'sending_rules',
    name: 'quiet_size',
    bounds: { quiet_days: KIB, quiet_channels: 64 * KIB },
  },
];

const WITHOUT_EVIDENCE = `evidence = '{"text": "This evidence was removed, because it had more than 1 MiB."}'`;

/** The changes that make a row satisfy its checks. In other tables, the row is deleted. */
const REPAIRS: Readonly<Record<string, string>> = {
  consent_changes: WITHOUT_EVIDENCE,
  // The deletion of a merge would undo a part of it. A merge without these values stays, and cannot be undone.
  contact_merges: `undo = null, moved = null,
    into_id = case when octet_length(into_id) > ${ID} then survivor_id else into_id end`,
  topic_subscriptions: WITHOUT_EVIDENCE,
  // The deletion of a version would delete its runs.
  workflow_versions: 'tool_schemas = null, fitting_schemas = null',
};

/**
 * Bounds `jsonb` values and arrays by the length of their text alone. The earlier checks accepted each value whose stored
 * size was small. But a number of 131,072 digits takes 16 bytes in `jsonb`, and a NULL takes one bit in an array. Such a
 * value could have more than 1 GB as text. PostgreSQL cannot print it, so one row prevented every backup. Also bounds the
 * evidence of consent, the lists of quiet hours, and the records of merges.
 *
 * All limits are above those of the service, so only SQL of a tool can have stored larger values. Removes these values,
 * or deletes their rows. Locks each table while its new check reads it.
 */
export class PrintableValues1764000106000 extends SqlMigration {
  readonly name = 'PrintableValues1764000106000';
  readonly files = ['functions/log_consent.sql', 'functions/log_new_consents.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`create function private.fits(value anyelement, most integer) returns boolean
      language plpgsql as $$
      begin
        return octet_length(value::text) <= most;
      exception when others then
        -- A text would have more than 1 GB.
        if sqlstate in ('54000', 'XX000') then
          return false;
        end if;
        raise;
      end
      $$`);
    for (const [table, { texts, values, json }] of Object.entries(REPLACED)) {
      await repair(runner, table, values);
      const condition = [...lengths({ ...texts, ...values }), ...lengthsOrSizes(json)];
      await replaceCheck(runner, table, condition);
    }
    for (const { table, name, bounds } of ADDED) {
      await repair(runner, table, bounds);
      await runner.query(
        `alter table public.${table} add constraint ${table}_${name}_check check (${lengths(bounds).join(' and ')})`,
      );
    }
    await runner.query('drop function private.fits');
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const { table, name } of ADDED) {
      await runner.query(`alter table public.${table} drop constraint ${table}_${name}_check`);
    }
    for (const [table, { texts, values, json }] of Object.entries(REPLACED)) {
      const condition = [...lengths(texts), ...lengthsOrSizes({ ...values, ...json })];
      await replaceCheck(runner, table, condition);
    }
  }
}

function lengths(bounds: Bounds = {}): string[] {
  return Object.entries(bounds).map(([column, most]) => `octet_length(${column}::text) <= ${most}`);
}

/** Returns the checks of 1764000103000. They are right for `json`, which is compressed at most to a 256th of its text. */
function lengthsOrSizes(bounds: Bounds = {}): string[] {
  return Object.entries(bounds).map(
    ([column, most]) =>
      `(pg_column_size(${column}) <= ${most / 256} or octet_length(${column}::text) <= ${most})`,
  );
}

async function repair(runner: QueryRunner, table: string, bounds: Bounds): Promise<void> {
  const fits = Object.entries(bounds).map(([column, most]) => `private.fits(${column}, ${most})`);
  const change = REPAIRS[table];
  await runner.query(
    `${change ? `update public.${table} set ${change}` : `delete from public.${table}`}
     where not (${fits.join(' and ')})`,
  );
}

async function replaceCheck(
  runner: QueryRunner,
  table: string,
  conditions: readonly string[],
): Promise<void> {
  await runner.query(
    `alter table public.${table} drop constraint ${table}_bytes_check,
       add constraint ${table}_bytes_check check (${conditions.join(' and ')})`,
  );
}
