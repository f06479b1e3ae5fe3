import { SqlMigration } from './sql-migration.js';

/** Makes a tenant context valid in one transaction only, so that a leaked context is useless. */
export class BoundContexts1764000014000 extends SqlMigration {
  readonly name = 'BoundContexts1764000014000';
  readonly files = [
    'functions/open_context.sql',
    'functions/current_organization.sql',
    'functions/ensure_roles.sql',
  ];
  readonly objects = ['function public.open_context'];
}
