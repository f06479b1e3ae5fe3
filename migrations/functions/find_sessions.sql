-- Lists the sessions of a person in all organizations, the most recently used first, at most 100.
--
-- Arguments:
--   of_user_id     the person
--   started_after  sessions that started earlier have ended, even if they are used
-- Result: the digest of the id, the organization, the start, the time at which the session ends if it is not used, and
--   the address and the client of the sign-in. Both are null for sessions of an older version, which did not store
--   them.
-- Locks: none.
create or replace function gate.find_sessions(of_user_id text, started_after timestamptz)
returns table (
  digest text,
  organization_id text,
  organization_name text,
  started_at timestamptz,
  expires_at timestamptz,
  address text,
  client text
)
language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
select s.sid, o.id, o.name, t.started_at, s.expire,
  s.sess #>> '{passport,user,address}', s.sess #>> '{passport,user,client}'
from gate.sessions s
join public.organizations o on o.id = s.sess #>> '{passport,user,organizationId}'
cross join lateral (select to_timestamp((s.sess ->> 'startedAt')::bigint / 1000.0) as started_at) t
where s.sess #>> '{passport,user,userId}' = of_user_id and s.expire > now() and t.started_at > started_after
order by s.expire desc, s.sid
limit 100
$$;
