-- Computes the keys under which the index contacts_filter_idx finds a contact by its tags and properties.
--
-- Arguments:
--   organization  the id of the organization
--   tags          the tags of the contact
--   properties    the properties of the contact
-- Result: a hash for each tag, for the name of each property, and for each property with its value. A property
--   with a list has a hash for each entry. Equal numbers have equal hashes, however they are written. More than 10,000
--   hashes are error 23514. The service stores contacts with at most 5,250.
-- Locks: none.
--
-- The declared cost of 1000 keeps plans from computing the keys contact by contact.
create or replace function private.contact_filter_keys(organization text, tags text[], properties jsonb)
returns bigint[]
language plpgsql immutable strict parallel safe cost 1000 as $$
declare
  seed constant bigint := hashtextextended(organization collate "C", 0);
  keys bigint[] := '{}';
  tag text;
  name text;
  value jsonb;
  entry jsonb;
begin
  foreach tag in array tags loop
    keys := keys || hashtextextended('t' || tag collate "C", seed);
  end loop;
  for name, value in select * from jsonb_each(properties) loop
    keys := keys || hashtextextended('p' || name collate "C", seed);
    if jsonb_typeof(value) = 'array' then
      for entry in select * from jsonb_array_elements(value) loop
        keys := keys || jsonb_hash_extended(entry, hashtextextended('v' || name collate "C", seed));
      end loop;
    else
      keys := keys || jsonb_hash_extended(value, hashtextextended('v' || name collate "C", seed));
    end if;
  end loop;
  -- When SQL of a tool fails after PostgreSQL has computed the keys, the statement of another organization adds them to
  -- the index. Without this limit, that statement would take seconds.
  if cardinality(keys) > 10000 then
    raise exception 'The contact has more than 10,000 tags, properties and entries of lists.' using errcode = '23514';
  end if;
  return keys;
end
$$;
