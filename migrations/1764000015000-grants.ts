import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Grants the tenant role exactly the privileges that the repositories use. API keys are created and revoked by
 * functions of the gate. Finding the account of a session now needs the organization that the session names.
 */
export class Grants1764000015000 extends SqlMigration {
  readonly name = 'Grants1764000015000';
  readonly files = [
    'functions/open_context.sql',
    'functions/current_organization.sql',
    'functions/lock_organization.sql',
    'functions/lock_for_member.sql',
    'functions/create_api_key.sql',
    'functions/revoke_api_key.sql',
    'functions/find_account.sql',
    'functions/tenant_privileges.sql',
    'functions/ensure_roles.sql',
  ];
  readonly objects = [
    'function private.tenant_privileges',
    'function gate.revoke_api_key',
    'function gate.create_api_key',
    'function private.lock_for_member',
    'function public.lock_organization',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    // The arguments of find_account have changed, and private.sign is no longer needed.
    await runner.query('drop function if exists gate.find_account(text, text)');
    await runner.query('drop function if exists private.sign(text)');
    await super.up(runner);
  }
}
