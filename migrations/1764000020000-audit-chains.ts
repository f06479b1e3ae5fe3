import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets only the service write the audit log and the retention rule of the log. Chains the entries of each organization,
 * and keeps them when the organization is deleted. Adds the log of calls. The audit log is rewritten, and is locked
 * meanwhile.
 */
export class AuditChains1764000020000 extends SqlMigration {
  readonly name = 'AuditChains1764000020000';
  readonly files = [
    'tables/audit_queue.sql',
    'tables/audit_chains.sql',
    'tables/audit_seals.sql',
    'tables/call_log.sql',
    'functions/is_signed.sql',
    'functions/write_audit.sql',
    'functions/record_audit.sql',
    'functions/protect_audit_rule.sql',
    'functions/set_audit_retention.sql',
    'functions/record_events.sql',
    'functions/store_seal.sql',
    'functions/seal_audit_log.sql',
    'functions/purge_audit_log.sql',
    'functions/delete_audit_log.sql',
    'functions/purge_call_log.sql',
    'functions/purge.sql',
    'functions/create_account.sql',
    'functions/create_api_key.sql',
    'functions/revoke_api_key.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [
    'function gate.purge_call_log',
    'function private.delete_audit_log',
    'function private.purge_audit_log',
    'function gate.seal_audit_log',
    'function private.store_seal',
    'function gate.record_events',
    'function public.set_audit_retention',
    'function private.protect_audit_rule',
    'function public.record_audit',
    'function private.write_audit',
    'function private.is_signed',
    'table public.call_log',
    'table private.audit_seals',
    'table private.audit_chains',
    'table private.audit_queue',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`alter table public.audit_log
      drop constraint audit_log_organization_id_fkey,
      drop constraint audit_log_pkey,
      alter column at type timestamptz(3),
      add column outcome text not null default 'ok',
      add column arguments_digest bytea,
      add column duration_ms integer,
      add column address text,
      add column request_id text,
      add column client text,
      add column unlogged integer not null default 0,
      add constraint audit_log_pkey primary key (organization_id, at, id)`);
    await runner.query(`insert into private.audit_queue (organization_id, at, id)
      select organization_id, at, id from public.audit_log order by id`);
    await runner.query(
      `update public.retention_rules set days = 90 where kind = 'audit_log' and days < 90`,
    );
    await runner.query(`alter table public.retention_rules
      add constraint retention_rules_audit_log_check check (kind <> 'audit_log' or days >= 90)`);
    await runner.query(`create trigger protect_audit_rule before insert or update or delete on public.retention_rules
      for each row execute function private.protect_audit_rule()`);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger protect_audit_rule on public.retention_rules');
    await runner.query(
      'alter table public.retention_rules drop constraint retention_rules_audit_log_check',
    );
    await runner.query(`delete from public.audit_log a
      where not exists (select from public.organizations o where o.id = a.organization_id)`);
    await runner.query(`alter table public.audit_log
      drop constraint audit_log_pkey,
      drop column outcome,
      drop column arguments_digest,
      drop column duration_ms,
      drop column address,
      drop column request_id,
      drop column client,
      drop column unlogged,
      alter column at type timestamptz,
      add constraint audit_log_pkey primary key (organization_id, id),
      add constraint audit_log_organization_id_fkey
        foreign key (organization_id) references public.organizations (id) on delete cascade`);
    await super.down(runner);
  }
}
