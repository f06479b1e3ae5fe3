import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets keys expire, and restricts keys to tools that only read or to a list of tools. Stores from where a key was last
 * used. Existing keys get no restriction. Stop processes of older versions first: they would accept the revoked and
 * expired keys that find_api_key now returns too.
 */
export class RestrictedKeys1764000019000 extends SqlMigration {
  readonly name = 'RestrictedKeys1764000019000';
  readonly files = [
    'functions/create_api_key.sql',
    'functions/find_api_key.sql',
    'functions/touch_api_key.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table public.api_keys
      add column expires_at timestamptz,
      add column read_only boolean not null default false,
      add column tools text[] constraint api_keys_tools_check check (cardinality(tools) between 1 and 100),
      add column last_used_address text,
      add column last_used_agent text,
      add column last_used_client text`);
    // `create or replace` cannot change the arguments or the result of a function, so the old function is dropped.
    await runner.query('drop function gate.create_api_key');
    await runner.query('drop function gate.find_api_key');
    await runner.query('drop function gate.touch_api_key');
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table public.api_keys
      drop column expires_at, drop column read_only, drop column tools,
      drop column last_used_address, drop column last_used_agent, drop column last_used_client`);
  }
}
