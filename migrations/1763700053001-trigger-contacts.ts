import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which fields the contact of a run gets from what started it, by version, as the steps. `workflow_versions` is locked
 * for a moment, no row is rewritten. Code that knows nothing of it goes on beside it, and carries runs out without.
 */
export class TriggerContacts1763700053001 implements MigrationInterface {
  readonly name = 'TriggerContacts1763700053001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table public.workflow_versions add column trigger_contact json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table public.workflow_versions drop column trigger_contact`);
  }
}
