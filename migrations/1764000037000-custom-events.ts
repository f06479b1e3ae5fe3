import { SqlMigration } from './sql-migration.js';

/** Creates the list of the events that organizations emit. */
export class CustomEvents1764000037000 extends SqlMigration {
  readonly name = 'CustomEvents1764000037000';
  readonly files = [
    'tables/custom_events.sql',
    'functions/purge_custom_events.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = ['function gate.purge_custom_events', 'table public.custom_events'];
}
