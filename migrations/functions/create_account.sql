-- Creates a person, an organization and the ownership between them, and adds an entry to the audit log.
--
-- Arguments: the new ids, the e-mail address, the hash of the password, the organization's name, the quotas of the
--   organization that differ from the defaults, as an object of numbers by name (null: none), and where the request
--   came from: address, request_id and client (null: unknown). The quotas apply until an operator changes them. The
--   quota of messages applies until the address is verified.
-- Result: nothing. If the address is taken, the function fails with a unique violation of users_email_key.
-- Locks: only the new rows.
create or replace function gate.create_account(
  new_user_id text,
  new_email text,
  new_password_hash text,
  new_organization_id text,
  new_name text,
  new_quotas json default null,
  origin json default null
) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
insert into gate.users (id, email, password_hash) values (new_user_id, new_email, new_password_hash);
insert into public.organizations (id, name) values (new_organization_id, new_name);
insert into public.memberships (organization_id, user_id, role)
  values (new_organization_id, new_user_id, 'owner');
insert into private.quota_exceptions (organization_id, name, amount, set_by)
  select new_organization_id, q.key, q.value::bigint, 'sign_up' from json_each_text(new_quotas) q;
select private.write_audit(json_build_array(json_build_object('organization_id', new_organization_id,
  'actor_kind', 'user', 'actor_id', new_user_id, 'action', 'sign_up', 'subject', new_organization_id,
  'address', origin->>'address', 'request_id', origin->>'request_id', 'client', origin->>'client')));
$$;
