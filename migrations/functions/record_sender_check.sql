-- Records the result of a look-up of the DNS record of a sender domain.
--
-- Arguments:
--   of_organization, of_id  the row of the domain
--   of_domain, of_token     the domain and the token that were looked up
--   found                   found, missing, different (there are other records), or unanswered
-- Result: nothing. When the row has another domain or token, nothing changes. SQL of a tool can delete the row while
-- the look-up waits, and a new row can then have the same id.
-- Locks: the row of the domain.
--
-- An unanswered look-up changes nothing about the verification: a name server that fails must not stop mail. The
-- service looks verified domains up again: after a day, or after an hour when the record was not found.
create or replace function gate.record_sender_check(
  of_organization text, of_id text, of_domain text, of_token text, found text
) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
  update public.sender_domains d set
    result = found,
    checked_at = now(),
    verified_at = case when found = 'found' then coalesce(d.verified_at, now()) else d.verified_at end,
    missing_since = case
      when found = 'found' then null
      when found = 'unanswered' then d.missing_since
      else coalesce(d.missing_since, now())
    end,
    next_check_at = case
      when found = 'found' then now() + interval '1 day'
      when d.verified_at is not null then now() + interval '1 hour'
    end
  where d.organization_id = of_organization and d.id = of_id and d.domain = of_domain and d.token = of_token
$$;
