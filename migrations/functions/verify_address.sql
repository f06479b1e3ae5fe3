-- Uses a link that was mailed to a person. The address then counts as verified. Also raises the quotas that were low
-- until this verification.
--
-- Arguments:
--   by_user_id          the signed-in person
--   in_organization_id  the organization of the session, whose audit log gets the entry
--   for_email           the address that the digests were made for
--   digests             the digests of the link, one for each key that may have made it
--   new_messages_a_day  the number of messages a day that an organization with a verified owner may store
--   origin              where the request came from: address, request_id and client
-- Result: true when the address was verified. Otherwise false, and nothing is changed: the person has no such link, the
--   link has expired or was used, or the address of the account has changed.
-- Locks: the person, so that only one of several simultaneous uses succeeds; the links of the person; the quotas that
--   rise.
--
-- A quota that an operator has set or removed stays as it is, and no quota gets lower.
create or replace function gate.verify_address(
  by_user_id text,
  in_organization_id text,
  for_email text,
  digests bytea[],
  new_messages_a_day bigint,
  origin json
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform from gate.users u where u.id = by_user_id and u.email = for_email for no key update;
  if not found then
    return false;
  end if;
  perform from gate.address_verifications v
  where v.user_id = by_user_id and v.digest = any (digests) and v.expires_at > clock_timestamp();
  if not found then
    return false;
  end if;
  delete from gate.address_verifications v where v.user_id = by_user_id;
  update gate.users u set verified_email = u.email where u.id = by_user_id;
  update private.quota_exceptions e
  set amount = greatest(e.amount, new_messages_a_day), set_by = 'verified_address'
  from public.memberships m
  where m.user_id = by_user_id and m.role = 'owner'
    and e.organization_id = m.organization_id and e.name = 'messages' and e.set_by = 'sign_up';
  perform private.write_audit(json_build_array(json_build_object('organization_id', in_organization_id,
    'actor_kind', 'user', 'actor_id', by_user_id, 'action', 'verify_address', 'subject', by_user_id,
    'address', origin->>'address', 'request_id', origin->>'request_id', 'client', origin->>'client')));
  return true;
end
$$;
