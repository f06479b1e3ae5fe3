-- Replaces the hash of a person's password, ends the other sessions of the person, and adds entries to the audit log.
--
-- Arguments:
--   of_user_id      the person
--   present_hash    the hash that the given password was compared with
--   new_hash        the hash of the new password
--   kept_digest     the session that stays open
--   new_tag         the tag of the new password, which the kept session gets
--   audit_entries   the JSON of private.write_audit()
-- Result: one row: whether the password was changed, and the organizations of the ended sessions. Nothing is changed
--   when the stored hash is no longer present_hash. If the kept session has ended, the error is SB003.
-- Locks: the person, so that only one of several simultaneous changes succeeds; the sessions of the person.
create or replace function gate.change_password(
  of_user_id text,
  present_hash text,
  new_hash text,
  kept_digest text,
  new_tag text,
  audit_entries json
) returns table (changed boolean, organizations text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  update gate.users u set password_hash = new_hash where u.id = of_user_id and u.password_hash = present_hash;
  if not found then
    return query select false, '{}'::text[];
    return;
  end if;
  -- Without this check, a session that another session has just ended could still change the password.
  perform private.lock_session(kept_digest, of_user_id);
  update gate.sessions s
  set sess = jsonb_set(s.sess::jsonb, '{passport,user,passwordTag}', to_jsonb(new_tag))::json
  where s.sid = kept_digest and s.sess #>> '{passport,user,userId}' = of_user_id;
  perform private.write_audit(audit_entries);
  return query
    with ended as (
      delete from gate.sessions s
      where s.sess #>> '{passport,user,userId}' = of_user_id and s.sid <> kept_digest
      returning s.sess #>> '{passport,user,organizationId}' as organization_id
    ) select true, coalesce(array_agg(distinct e.organization_id), '{}') from ended e;
end
$$;
