import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Lets organizations take turns with the delivery of their events. Locks stored events while the index is built. */
export class EventTurns1764000071000 extends SqlMigration {
  readonly name = 'EventTurns1764000071000';
  readonly files = ['functions/claim_events.sql'];
  readonly objects = ['index public.pending_events_turns_idx'];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      'create index pending_events_turns_idx on public.pending_events (organization_id, available_at)',
    );
  }
}
