import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Creates the isolation of tenants: three schemas, the signed tenant context, row-level security and the roles. */
export class Foundation1764000000000 extends SqlMigration {
  readonly name = 'Foundation1764000000000';
  readonly files = [
    'namespaces.sql',
    'tables/installation.sql',
    'functions/current_organization.sql',
    'functions/isolate.sql',
    'functions/ensure_roles.sql',
  ];
  readonly objects = [
    'function private.ensure_roles',
    'function private.isolate',
    'function public.current_organization',
    'table private.installation',
    'schema gate',
    'schema private',
  ];

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('grant create on schema public to public');
  }
}
