-- Returns whether the current address of a person is verified, and the quota of messages until the verification.
--
-- Arguments: the person; the organization of the session.
-- Result: one row, or none when the person is not a member of the organization. messages_a_day is null when the
--   organization has no quota of messages that waits for the verification, and when the person is not an owner.
-- Locks: none.
create or replace function gate.find_address_verification(of_user_id text, in_organization_id text)
returns table (is_verified boolean, messages_a_day bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
select coalesce(u.verified_email = u.email, false), e.amount
from gate.users u
join public.memberships m on m.user_id = u.id and m.organization_id = in_organization_id
left join private.quota_exceptions e
  on e.organization_id = m.organization_id and e.name = 'messages' and e.set_by = 'sign_up' and m.role = 'owner'
where u.id = of_user_id
$$;
