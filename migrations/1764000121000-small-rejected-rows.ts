import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const TEXTS = ['import_id', 'cells', 'reasons']
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(' + ');
/** `json_array_length` fails for JSON that is no list, so the type is checked first. */
const COLUMNS = `octet_length(columns::text) <= ${256 * KIB}
  and case when json_typeof(columns) = 'array' then json_array_length(columns) <= 500 else false end`;

/**
 * Limits rejected rows and the names of the columns of imports to what a file can cause. A row of a file has at most
 * 256 KiB. JSON needs six bytes for some of these bytes, and the reasons are short. Before, SQL of a tool could store rows
 * of 16 MiB and 349,000 names. Their download as CSV then stopped the process for seconds.
 *
 * Deletes larger rejected rows, and imports with more columns. Only SQL of a tool can have stored them.
 */
export class SmallRejectedRows1764000121000 extends SqlMigration {
  readonly name = 'SmallRejectedRows1764000121000';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from public.imports where not (${COLUMNS})`);
    await runner.query(`delete from public.import_faults where ${TEXTS} > ${2 * MIB}`);
    await runner.query(
      `alter table public.imports add constraint imports_columns_check check (${COLUMNS})`,
    );
    await limitTexts(runner, 2 * MIB);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await limitTexts(runner, 16 * MIB);
    await runner.query('alter table public.imports drop constraint imports_columns_check');
  }
}

async function limitTexts(runner: QueryRunner, most: number): Promise<void> {
  await runner.query(
    `alter table public.import_faults drop constraint import_faults_texts_check,
       add constraint import_faults_texts_check check (${TEXTS} <= ${most})`,
  );
}
