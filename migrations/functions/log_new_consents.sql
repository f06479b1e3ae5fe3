-- Trigger function: logs the decisions of new contacts about channels.
--
-- Arguments: none (trigger after each INSERT statement on contacts).
-- Result: null. The log gets the first 256 characters of each text. More than 1 MiB of evidence is error 23514 or 54000.
-- Locks: only the new rows of the log.
--
-- log_consent() does the same for changed contacts. Imports insert many contacts with one statement. A separate INSERT
-- into the log for each contact would take a fifth of the time of the import. This function runs as the owner, as
-- log_consent() does.
create or replace function private.log_new_consents() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  given constant text := nullif(current_setting('switchboard.consent_evidence', true), '');
begin
  if exists (select from written w where w.consent <> '{}') then
    if octet_length(given) > 1048576 then
      raise exception 'The setting switchboard.consent_evidence has more than 1 MiB.' using errcode = '23514';
    end if;
    insert into public.consent_changes (organization_id, contact_id, recorded_for, kind, name, from_state, to_state, source,
      evidence)
    select w.organization_id, w.id, w.id, 'channel', left(c.key, 256), null, left(c.value ->> 'status', 256),
      left(coalesce(nullif(current_setting('switchboard.consent_source', true), ''), c.value ->> 'source', 'unknown'), 256),
      given::jsonb
    from written w cross join lateral jsonb_each(w.consent) c
    where c.value ->> 'status' is not null;
  end if;
  return null;
end
$$;
