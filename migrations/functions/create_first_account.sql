-- Creates the first person and organization of an installation, as create_account does.
--
-- Arguments: those of create_account, without the quotas.
-- Result: true when the account was created. False, and nothing is created, if somebody has an account already.
-- Locks: gate.users against other writers, so that only one of several simultaneous calls creates an account. Waiting
--   calls then see the new account, because each statement of a volatile function sees what was committed before it.
create or replace function gate.create_first_account(
  new_user_id text,
  new_email text,
  new_password_hash text,
  new_organization_id text,
  new_name text,
  origin json default null
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  lock table gate.users in share row exclusive mode;
  if exists (select from gate.users) then
    return false;
  end if;
  perform gate.create_account(new_user_id, new_email, new_password_hash, new_organization_id, new_name,
    null, origin);
  return true;
end
$$;
