-- Claims verified sender domains whose record is to be looked up again.
--
-- Arguments:
--   most  the largest number of domains
-- Result: the claimed domains. No other worker can claim them for an hour.
-- Locks: their rows. Rows that other transactions have locked are skipped.
create or replace function gate.claim_sender_domains(most integer)
returns table (organization_id text, id text)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
  with due as materialized (
    select d.organization_id, d.id from public.sender_domains d
    where d.next_check_at <= now() order by d.next_check_at limit most for update skip locked
  )
  update public.sender_domains d set next_check_at = now() + interval '1 hour' from due
  where d.organization_id = due.organization_id and d.id = due.id
  returning d.organization_id, d.id
$$;
