import { SqlMigration } from './sql-migration.js';

/**
 * Reduces the work of PostgreSQL for runs and messages. Functions that are called often keep their plans, growing
 * tables get statistics soon, and runs that wait for a rate limit are admitted together.
 */
export class KeptPlans1764000035000 extends SqlMigration {
  readonly name = 'KeptPlans1764000035000';
  readonly files = [
    'functions/take_quota.sql',
    'functions/find_api_key.sql',
    'functions/claim_messages.sql',
    'functions/lease_runs.sql',
    'functions/choose_runs.sql',
    'functions/claim_runs.sql',
    'functions/room_of_key.sql',
    'functions/pass_rate.sql',
    'functions/analyze_growing_tables.sql',
  ];
  readonly objects = ['function gate.analyze_growing_tables', 'function private.lease_runs'];
}
