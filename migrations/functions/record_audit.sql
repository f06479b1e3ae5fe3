-- Adds entries to the audit log in the transaction of the change that they record.
--
-- Arguments:
--   entries    the JSON of private.write_audit()
--   signature  the signature of the service for the purpose "audit entries"
-- Result: nothing. A wrong signature is error 42501.
-- Locks: only the new rows.
--
-- Each entry names its organization. The service signs only entries of the organization of its transaction.
create or replace function public.record_audit(entries text, signature text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if not private.is_signed('audit entries', entries, signature) then
    raise exception 'The audit entries were not signed by the service.' using errcode = '42501';
  end if;
  perform private.write_audit(entries::json);
end
$$;
