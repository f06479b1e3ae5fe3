import { SqlMigration } from './sql-migration.js';

/** Creates the limits of workflows: debounce, rate and concurrency of their runs. */
export class Limits1764000008000 extends SqlMigration {
  readonly name = 'Limits1764000008000';
  readonly files = [
    'functions/pass_debounce.sql',
    'functions/room_of_key.sql',
    'functions/pass_keys.sql',
    'functions/recent_begins.sql',
    'functions/pass_rate.sql',
    'functions/pass_slots.sql',
    'functions/admit_runs_of_workflow.sql',
    'functions/admit_runs.sql',
    'functions/admit_due_runs.sql',
    'functions/sweep_run_limits.sql',
  ];
  readonly objects = [
    'function gate.sweep_run_limits',
    'function private.admit_due_runs',
    'function gate.admit_runs',
    'function private.admit_runs_of_workflow',
    'function private.pass_slots',
    'function private.pass_rate',
    'function private.recent_begins',
    'function private.pass_keys',
    'function private.room_of_key',
    'function private.pass_debounce',
  ];
}
