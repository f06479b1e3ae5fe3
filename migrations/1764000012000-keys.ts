import { SqlMigration } from './sql-migration.js';

/** Creates API keys, tool policies and offered workflows: everything that one look-up of a key returns. */
export class Keys1764000012000 extends SqlMigration {
  readonly name = 'Keys1764000012000';
  readonly files = [
    'tables/tool_policies.sql',
    'tables/offered_workflows.sql',
    'tables/api_keys.sql',
    'functions/find_api_key.sql',
    'functions/touch_api_key.sql',
  ];
  readonly objects = [
    'function gate.touch_api_key',
    'function gate.find_api_key',
    'table public.api_keys',
    'table public.offered_workflows',
    'table public.tool_policies',
  ];
}
