-- Deletes the messages of a contact, except those that are being handed over: their outcome must be stored.
--
-- Arguments:
--   command    JSON: {"organization_id", "contact_id"}
--   signature  the signature of the service for the purpose "message deletion"
-- Result: the number of deleted messages. A wrong signature is error 42501.
-- Locks: the messages.
--
-- The tenant role cannot delete messages itself. Otherwise SQL of a tool could remove messages that it had sent.
create or replace function public.delete_contact_messages(command text, signature text) returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
declare
  deleted integer;
begin
  if not private.is_signed('message deletion', command, signature) then
    raise exception 'The deletion of messages was not signed by the service.' using errcode = '42501';
  end if;
  delete from public.messages m
  where m.organization_id = command::json ->> 'organization_id' and m.contact_id = command::json ->> 'contact_id'
    and m.status <> 'sending';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
