-- Finds a person by e-mail address or id, with one organization of that person.
--
-- Arguments:
--   by_email            the address in upper or lower case, or null
--   by_user_id          the person's id, or null
--   in_organization_id  the organization that a session names; null for the first one that the person joined
-- Result: one row. No row for an unknown person, and when the person is not a member of the given organization.
--   policies: the tool policies of the organization, or null.
-- Locks: none.
create or replace function gate.find_account(by_email text, by_user_id text, in_organization_id text)
returns table (
  user_id text,
  email text,
  name text,
  password_hash text,
  organization_id text,
  organization_name text,
  role text,
  policies jsonb
)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
  return query select u.id, u.email, u.name, u.password_hash, o.id, o.name, m.role, (
      select jsonb_agg(jsonb_build_object('tool', p.tool, 'hidden', p.hidden, 'confirmation', p.confirmation))
      from public.tool_policies p where p.organization_id = o.id
    )
  from gate.users u
  join public.memberships m on m.user_id = u.id
  join public.organizations o on o.id = m.organization_id
  where ((by_email is not null and lower(u.email) = lower(by_email)) or u.id = by_user_id)
    and (in_organization_id is null or o.id = in_organization_id)
  order by m.created_at, o.id
  limit 1;
end
$$;
