-- Decides whether an attempt to send a message may begin now, by the quiet hours and caps of the current organization.
--
-- Arguments: those of check_pace(). The caller has locked the message.
-- Result: no row if the attempt may begin; the message then counts for the caps of its contact. Otherwise one row: the
--   rule that drops the message, or else the rule that holds it longest. The columns are those of check_pace().
-- Locks: a name with the id of the contact, until the transaction ends (see lock_name(), which limits the number of
--   names). Without this lock, two workers that begin at the same time would not see each other's message. Both would
--   pass a cap that has one place left. The lock is not on the row of the contact, because a merge locks the contact
--   before its messages.
create or replace function public.pace_message(of_message text, of_contact text, of_channel text, of_topic text)
returns table (code text, cap text, until timestamptz, drops boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  organization constant text := public.current_organization();
begin
  perform public.lock_name('pace of ' || of_contact, false);
  return query
    select p.code, p.cap, p.until, p.drops from public.check_pace(of_message, of_contact, of_channel, of_topic) p
    where p.until is not null
    order by p.drops desc, p.until desc limit 1;
  if not found then
    update public.messages m set counted_at = clock_timestamp(), held_by = null
    where m.organization_id = organization and m.id = of_message;
  end if;
end
$$;
