import { SqlMigration } from './sql-migration.js';

/** Creates the waits of runs, and the domain events that end them. */
export class Waits1764000010000 extends SqlMigration {
  readonly name = 'Waits1764000010000';
  readonly files = [
    'tables/run_waits.sql',
    'tables/event_interests.sql',
    'tables/pending_events.sql',
    'functions/claim_events.sql',
    'functions/renew_events.sql',
    'functions/release_events.sql',
  ];
  readonly objects = [
    'function gate.release_events',
    'function gate.renew_events',
    'function gate.claim_events',
    'table public.pending_events',
    'table public.event_interests',
    'table public.run_waits',
  ];
}
