-- Adds a sender domain with a new random token.
--
-- Arguments:
--   command    JSON: {"organization_id", "id", "domain", "created_by"}
--   signature  the signature of the service for the purpose "sender domain"
-- Result: nothing. A wrong signature is error 42501.
-- Locks: none.
--
-- The tenant role cannot insert sender domains itself. Tokens are public in DNS records. So SQL of a tool could insert
-- the domain of another organization with its token, and the next look-up would prove the domain.
create or replace function public.add_sender_domain(command text, signature text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if not private.is_signed('sender domain', command, signature) then
    raise exception 'The sender domain was not signed by the service.' using errcode = '42501';
  end if;
  insert into public.sender_domains (organization_id, id, domain, token, created_by)
  select c.organization_id, c.id, c.domain, replace(gen_random_uuid()::text, '-', ''), c.created_by
  from json_to_record(command::json) as c (organization_id text, id text, domain text, created_by text);
end
$$;
