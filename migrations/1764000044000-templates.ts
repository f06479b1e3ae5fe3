import { SqlMigration } from './sql-migration.js';

/** Stores templates of messages, their published versions, and the snippets that they share. */
export class Templates1764000044000 extends SqlMigration {
  readonly name = 'Templates1764000044000';
  readonly files = [
    'tables/templates.sql',
    'tables/template_versions.sql',
    'tables/template_snippets.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [
    'table public.template_snippets',
    'table public.template_versions',
    'table public.templates',
  ];
}
