import { SqlMigration } from './sql-migration.js';

/** Creates schedules that start workflows, and the functions with which workers claim the ticks of schedules. */
export class Schedules1764000009000 extends SqlMigration {
  readonly name = 'Schedules1764000009000';
  readonly files = [
    'tables/workflow_schedules.sql',
    'functions/claim_schedules.sql',
    'functions/renew_schedules.sql',
    'functions/release_schedules.sql',
  ];
  readonly objects = [
    'function gate.release_schedules',
    'function gate.renew_schedules',
    'function gate.claim_schedules',
    'table public.workflow_schedules',
  ];
}
