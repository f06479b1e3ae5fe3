import { SqlMigration } from './sql-migration.js';

/** Bounds the time that claims and sweeps take for the limits of workflows, however many runs have begun. */
export class BoundedLimits1764000110000 extends SqlMigration {
  readonly name = 'BoundedLimits1764000110000';
  readonly files = [
    'functions/pass_rate.sql',
    'functions/admit_due_runs.sql',
    'functions/requeue_due_runs.sql',
    'functions/admit_runs_of_workflow.sql',
  ];
  readonly objects = [];
}
