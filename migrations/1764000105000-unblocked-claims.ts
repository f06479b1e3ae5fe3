import { SqlMigration } from './sql-migration.js';

/**
 * Claims and sweeps wait for no lock of an organization: neither when they park a run, nor when they debounce runs or
 * mark waits.
 */
export class UnblockedClaims1764000105000 extends SqlMigration {
  readonly name = 'UnblockedClaims1764000105000';
  readonly files = [
    'functions/park_run.sql',
    'functions/requeue_due_runs.sql',
    'functions/lease_runs.sql',
    'functions/claim_runs.sql',
    'functions/pass_debounce.sql',
    'functions/admit_runs_of_workflow.sql',
    'functions/wake_runs.sql',
  ];
  readonly objects = ['function private.park_run'];
}
