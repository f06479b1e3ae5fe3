-- Stores the digest of a link that was or will be mailed to a person.
--
-- Arguments: the person; the digest; the seconds for which the link is valid.
-- Result: nothing.
-- Locks: the rows of links that have expired, except those that another transaction has locked.
--
-- Each call deletes up to 100 expired links of any person, so that the table does not grow without end.
create or replace function gate.add_address_verification(of_user_id text, new_digest bytea, valid_seconds double precision)
returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with expired as materialized (
  select v.digest from gate.address_verifications v where v.expires_at <= now()
  order by v.expires_at limit 100 for update skip locked
)
delete from gate.address_verifications v using expired where v.digest = expired.digest;
insert into gate.address_verifications (digest, user_id, expires_at)
values (new_digest, of_user_id, now() + make_interval(secs => valid_seconds));
$$;
