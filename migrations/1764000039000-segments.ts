import { SqlMigration } from './sql-migration.js';

/** Stores segments of contacts, and lets workers compare contacts with them. */
export class Segments1764000039000 extends SqlMigration {
  readonly name = 'Segments1764000039000';
  readonly files = [
    'tables/segments.sql',
    'tables/segment_members.sql',
    'functions/mark_segment_changes.sql',
    'tables/segment_changes.sql',
    'tables/segment_evaluations.sql',
    'functions/find_segment_contacts.sql',
    'functions/claim_segments.sql',
    'functions/renew_segments.sql',
    'functions/release_segments.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [
    'function gate.release_segments',
    'function gate.renew_segments',
    'function gate.claim_segments',
    'function public.find_segment_contacts',
    'table public.segment_evaluations',
    'trigger segment_update on public.contacts',
    'trigger segment_insert on public.contacts',
    'table public.segment_changes',
    'function private.mark_segment_changes',
    'table public.segment_members',
    'table public.segments',
  ];
}
