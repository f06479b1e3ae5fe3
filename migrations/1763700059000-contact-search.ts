import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An index for searching contacts by a part of their text. Row-level security keeps LIKE away from indexes, so the
 * search goes through a function of the owner that gives out ids of the signed-in organization alone.
 *
 * Contacts cannot be changed while the index is made: about half a minute for a million of them. Where the server has
 * no pg_trgm, or the owner may not create it, there is no index, and a search reads the contacts one by one as before.
 */
export class ContactSearch1763700059000 implements MigrationInterface {
  readonly name = 'ContactSearch1763700059000';

  async up(runner: QueryRunner): Promise<void> {
    // A short pending list, because every search has to read it.
    await runner.query(`
      do $$
      begin
        if not exists (select from pg_available_extensions where name = 'pg_trgm') then return; end if;
        create extension if not exists pg_trgm with schema private;
        execute format('create index contacts_search_text_idx on public.contacts
          using gin (search_text %I.gin_trgm_ops) with (gin_pending_list_limit = 256)',
          (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
           where e.extname = 'pg_trgm'));
      exception when insufficient_privilege then
        raise notice 'pg_trgm may not be created: contacts are searched without an index.';
      end $$`);
    // More matches than the caller has use for: it then finds them sooner by going through the contacts in order. The
    // plan depends on the pattern, so none is kept.
    await runner.query(`
      create function public.contacts_like(pattern text, other text, most integer) returns text[]
      language plpgsql stable security definer
      set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
      declare
        organization text := public.current_organization();
        found text[];
      begin
        found := array(
          select c.id from public.contacts c
          where c.organization_id = organization and (c.search_text like pattern or c.search_text like other)
          limit most + 1);
        return case when cardinality(found) <= most then found end;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function public.contacts_like(text, text, integer)`);
    // The extension stays: others may have begun to use it.
    await runner.query(`drop index if exists public.contacts_search_text_idx`);
  }
}
