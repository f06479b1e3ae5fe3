-- Trigger function: logs each channel for which the decision of a contact has changed.
--
-- Arguments: none (row trigger on insert and update of contacts).
-- Result: null. While the quota of stored bytes of the organization is used up, a change fails with SB002. Only a change
--   that withdraws consent and does nothing else is logged, without evidence, and only if the contact has at most 50
--   channels. Merges can fail with this error too. The log gets the first 256 characters of each text. A change with more
--   than 1 MiB of evidence fails with 23514 or 54000.
-- Locks: only the new rows of the log.
--
-- The function runs as the owner, so SQL of a tool can neither change nor suppress entries. For its own changes, such
-- SQL can name any source, as the service can. Two settings of the transaction add facts that the row of the contact
-- does not have: the merge that the change is part of, and the text that the person wrote.
create or replace function private.log_consent() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  before constant jsonb := case when tg_op = 'UPDATE' then old.consent else '{}' end;
  is_full constant boolean := private.has_used_bytes(new.organization_id);
  given constant text := nullif(current_setting('switchboard.consent_evidence', true), '');
begin
  if octet_length(given) > 1048576 then
    raise exception 'The setting switchboard.consent_evidence has more than 1 MiB.' using errcode = '23514';
  end if;
  if is_full and (
    (select count(*) > 50 from jsonb_object_keys(before || new.consent)) or exists (
      select from jsonb_object_keys(before || new.consent) as channel,
        lateral (select before -> channel ->> 'status' as old_state, new.consent -> channel ->> 'status' as new_state) own
      where new_state is distinct from old_state and new_state is distinct from 'denied'
        and (old_state is distinct from 'granted' or new_state is not null))
  ) then
    perform private.refuse_over(new.organization_id, array['stored_bytes']);
  end if;
  insert into public.consent_changes (organization_id, contact_id, recorded_for, kind, name, from_state, to_state, source,
    evidence)
  select new.organization_id, new.id, new.id, 'channel', left(channel, 256), left(before -> channel ->> 'status', 256),
    left(new.consent -> channel ->> 'status', 256),
    left(coalesce(nullif(current_setting('switchboard.consent_source', true), ''), new.consent -> channel ->> 'source',
      'unknown'), 256),
    case when not is_full then given::jsonb end
  from jsonb_object_keys(before || new.consent) as channel
  where before -> channel ->> 'status' is distinct from new.consent -> channel ->> 'status';
  return null;
end
$$;
