-- Records that a contact was merged into another one. The rows that are moved are added to the record afterwards.
--
-- Arguments:
--   command    JSON: {"organization_id", "merged_id", "survivor_id", "undo"}
--   signature  the signature of the service for the purpose "contact merge"
-- Result: nothing. A wrong signature is error 42501.
-- Locks: only the new row. private.move_permission() locks the rows that it moves.
--
-- The tenant role cannot insert merges itself. Otherwise SQL of a tool could move the log of consent of one contact to
-- another one.
create or replace function public.record_contact_merge(command text, signature text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
declare
  merge constant json := command::json;
begin
  if not private.is_signed('contact merge', command, signature) then
    raise exception 'The merge was not signed by the service.' using errcode = '42501';
  end if;
  insert into public.contact_merges (organization_id, merged_id, into_id, survivor_id, undo, moved)
  values (merge ->> 'organization_id', merge ->> 'merged_id', merge ->> 'survivor_id', merge ->> 'survivor_id',
    merge -> 'undo', '{}');
end
$$;
