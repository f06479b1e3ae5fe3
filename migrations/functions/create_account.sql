-- Creates a person, an organization and the ownership between them, and writes it to the audit log.
--
-- Arguments: the new ids, the e-mail address, the hash of the password, the organization's name, and the number of
--   messages that the organization may store in a day until the address is verified or an operator changes it (null: the
--   default), and where the request came from: address, request_id and client (null: unknown).
-- Result: nothing. An address that is taken is a unique violation on users_email_key.
-- Locks: only the new rows.
create or replace function gate.create_account(
  new_user_id text,
  new_email text,
  new_password_hash text,
  new_organization_id text,
  new_name text,
  new_messages_a_day bigint default null,
  origin json default null
) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
insert into gate.users (id, email, password_hash) values (new_user_id, new_email, new_password_hash);
insert into public.organizations (id, name) values (new_organization_id, new_name);
insert into public.memberships (organization_id, user_id, role)
  values (new_organization_id, new_user_id, 'owner');
insert into private.quota_exceptions (organization_id, name, amount, set_by)
  select new_organization_id, 'messages', new_messages_a_day, 'sign_up' where new_messages_a_day is not null;
select private.write_audit(json_build_array(json_build_object('organization_id', new_organization_id,
  'actor_kind', 'user', 'actor_id', new_user_id, 'action', 'sign_up', 'subject', new_organization_id,
  'address', origin->>'address', 'request_id', origin->>'request_id', 'client', origin->>'client')));
$$;
