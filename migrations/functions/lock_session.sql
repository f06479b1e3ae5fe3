-- Locks the session of a signed-in person until the transaction ends, so that the session cannot end before a change
-- that it makes is committed.
--
-- Arguments:
--   of_digest   the digest of the session id; null: the change is not made in a session, and nothing is checked
--   of_user_id  the person of the session
-- Result: nothing. A session that has ended, or that belongs to another person, is error SB003.
-- Locks: the session. Other changes in the same session do not wait.
--
-- Without this lock, a request that was authenticated just before the end of its session could still change
-- credentials after that end.
create or replace function private.lock_session(of_digest text, of_user_id text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s' as $$
begin
  if of_digest is null then
    return;
  end if;
  perform from gate.sessions s
  where s.sid = of_digest and s.expire > now() and s.sess #>> '{passport,user,userId}' = of_user_id
  for share;
  if not found then
    raise exception 'The session has ended.' using errcode = 'SB003';
  end if;
end
$$;
