import { readFile } from 'node:fs/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs a migration of SQL files. `tables/` has a file for each table, `functions/` has one for each function. */
export abstract class SqlMigration implements MigrationInterface {
  abstract readonly name: string;
  /** The files that `up` runs, relative to this folder, in this order. */
  abstract readonly files: readonly string[];
  /** The objects that `down` drops, in this order. */
  abstract readonly objects: readonly string[];

  async up(runner: QueryRunner): Promise<void> {
    // The file of a function may use columns that only a later migration adds. If PostgreSQL checked the body of such a
    // function now, it would refuse the function.
    await runner.query('set local check_function_bodies = off');
    for (const file of this.files) {
      await runner.query(await readFile(new URL(file, import.meta.url), 'utf8'));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const object of this.objects) await runner.query(`drop ${object}`);
  }
}
