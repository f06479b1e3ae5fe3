-- Ends sessions of a person. Adds entries to the audit log if there were any sessions.
--
-- Arguments:
--   of_user_id     the person
--   only_digest    ends only this session; null: all sessions of the person
--   kept_digest    this session is not ended; null: no session is kept
--   audit_entries  the JSON of private.write_audit()
-- Result: the organization of each ended session.
-- Locks: the ended sessions.
create or replace function gate.end_sessions(
  of_user_id text,
  only_digest text,
  kept_digest text,
  audit_entries json
) returns table (organization_id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  return query
    delete from gate.sessions s
    where s.sess #>> '{passport,user,userId}' = of_user_id
      and (only_digest is null or s.sid = only_digest) and s.sid is distinct from kept_digest
    returning s.sess #>> '{passport,user,organizationId}';
  if found then
    perform private.write_audit(audit_entries);
  end if;
end
$$;
