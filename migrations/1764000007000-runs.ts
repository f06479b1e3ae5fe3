import { SqlMigration } from './sql-migration.js';

/** Creates runs with their journal, and the leases under which workers execute them. */
export class Runs1764000007000 extends SqlMigration {
  readonly name = 'Runs1764000007000';
  readonly files = [
    'functions/notify_run_change.sql',
    'functions/record_parked_run.sql',
    'functions/end_child_run.sql',
    'functions/cancel_children.sql',
    'functions/requeue_limited_run.sql',
    'functions/use_rate_place.sql',
    'tables/workflow_runs.sql',
    'tables/run_steps.sql',
    'tables/files.sql',
    'tables/file_chunks.sql',
    'tables/parked_runs.sql',
    'functions/requeue_due_runs.sql',
    'functions/wake_runs.sql',
    'functions/choose_runs.sql',
    'functions/claim_runs.sql',
    'functions/renew_runs.sql',
    'functions/release_runs.sql',
    'functions/assert_lease.sql',
    'functions/find_parked_runs.sql',
    'functions/find_outdated_versions.sql',
  ];
  readonly objects = [
    'function gate.find_outdated_versions',
    'function gate.find_parked_runs',
    'function public.assert_lease',
    'function gate.release_runs',
    'function gate.renew_runs',
    'function gate.claim_runs',
    'function private.choose_runs',
    'function gate.wake_runs',
    'function private.requeue_due_runs',
    'table public.parked_runs',
    'table public.file_chunks',
    'table public.files',
    'table public.run_steps',
    'table public.workflow_runs',
    'function private.use_rate_place',
    'function private.requeue_limited_run',
    'function private.cancel_children',
    'function private.end_child_run',
    'function private.record_parked_run',
    'function private.notify_run_change',
  ];
}
