import { SqlMigration } from './sql-migration.js';

/** Stores the secrets of organizations. */
export class Secrets1764000029000 extends SqlMigration {
  readonly name = 'Secrets1764000029000';
  readonly files = ['tables/secrets.sql', 'functions/tenant_privileges.sql'];
  readonly objects = ['table public.secrets'];
}
