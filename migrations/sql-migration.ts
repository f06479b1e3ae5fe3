import { readFile } from 'node:fs/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs a migration that is written as SQL files: `tables/` and `functions/` have one file for each, named after it. */
export abstract class SqlMigration implements MigrationInterface {
  abstract readonly name: string;
  /** The files that `up` runs, relative to this folder, in this order. */
  abstract readonly files: readonly string[];
  /** The objects that `down` drops, in this order. */
  abstract readonly objects: readonly string[];

  async up(runner: QueryRunner): Promise<void> {
    // A function's file may already use columns that a later migration adds.
    await runner.query('set local check_function_bodies = off');
    for (const file of this.files) {
      await runner.query(await readFile(new URL(file, import.meta.url), 'utf8'));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const object of this.objects) await runner.query(`drop ${object}`);
  }
}
