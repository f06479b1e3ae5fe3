import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ContactSearch1763700059000 } from './1763700059000-contact-search.js';

/**
 * An index for searching contacts whose entries are of one organization in sixty-two, in place of one whose entries are
 * those of all: what a search costs no longer grows with the contacts of others. It needs no extension.
 *
 * Contacts cannot be changed while the index is made: about a minute for a million of them.
 */
export class ContactSearchKeys1763700063000 implements MigrationInterface {
  readonly name = 'ContactSearchKeys1763700063000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index if exists public.contacts_search_text_idx`);
    // Processes from before still ask for it: null sends them through the contacts in order.
    await runner.query(`
      create or replace function public.contacts_like(pattern text, other text, most integer) returns text[]
      language sql immutable set search_path = pg_catalog, pg_temp as $$ select null::text[] $$`);
    // One key for every three characters in a row: what contains a text has all keys of it, and of every third of them
    // too, which are found in half the time. Organizations are told apart by the last character of their id and not by
    // all of it, or many small ones would each have entries of their own. In PL/pgSQL this takes half as long as in SQL.
    // The cost keeps plans from doing it to contacts one by one.
    await runner.query(`
      create function private.search_keys(organization text, searched text, step integer) returns bigint[]
      language plpgsql immutable strict parallel safe cost 1000 as $$
      declare
        kin bigint := ascii(right(organization, 1));
        final integer := length(searched) - 2;
        keys bigint[] := '{}';
      begin
        for place in 1 .. final by step loop
          keys := keys || hashtextextended(substr(searched, place, 3) collate "C", kin);
        end loop;
        if final > 0 and (final - 1) % step > 0 then
          keys := keys || hashtextextended(substr(searched, final, 3) collate "C", kin);
        end if;
        return keys;
      end $$`);
    // A short pending list, because every search has to read it.
    await runner.query(`
      create index contacts_search_text_idx on public.contacts
      using gin (private.search_keys(organization_id, search_text, 1)) with (gin_pending_list_limit = 256)`);
    // Nobody asks how keys are spread, and to find that out takes a second.
    await runner.query(
      `alter index public.contacts_search_text_idx alter column 1 set statistics 0`,
    );
    // Null where more contacts match than the caller has use for, or very likely do, or the text is shorter than a key, for
    // which the index would be read from end to end: the caller then finds them sooner by going through the contacts in
    // order. A text that most contain is told by some of them, chosen by their ids, which are random: the index would have
    // all that match put together first. Keys may meet by chance, so the text decides.
    await runner.query(`
      create function public.contacts_containing(wanted text, other text, most integer) returns text[]
      language plpgsql stable security definer
      set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
      declare
        organization text := public.current_organization();
        wanted_keys bigint[] := private.search_keys(organization, wanted, 3);
        other_keys bigint[] := private.search_keys(organization, other, 3);
        found text[];
      begin
        if cardinality(wanted_keys) = 0 or cardinality(other_keys) = 0 then return null; end if;
        if (
          select count(*) filter (where strpos(s.search_text, wanted) > 0 or strpos(s.search_text, other) > 0) > 3
            and count(*) = 20
          from (
            select c.search_text from public.contacts c
            where c.organization_id = organization order by c.id limit 20) s
        ) then return null; end if;
        found := array(
          select c.id from public.contacts c
          -- IS TRUE keeps the plan from going through all contacts of the organization as well.
          where (c.organization_id = organization) is true
            and (private.search_keys(c.organization_id, c.search_text, 1) @> wanted_keys
              or private.search_keys(c.organization_id, c.search_text, 1) @> other_keys)
            and (strpos(c.search_text, wanted) > 0 or strpos(c.search_text, other) > 0)
          limit most + 1);
        return case when cardinality(found) <= most then found end;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function public.contacts_containing(text, text, integer)`);
    await runner.query(`drop index public.contacts_search_text_idx`);
    await runner.query(`drop function private.search_keys(text, text, integer)`);
    await new ContactSearch1763700059000().down(runner);
    await new ContactSearch1763700059000().up(runner);
  }
}
