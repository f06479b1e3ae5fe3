-- Computes the keys under which the index contacts_filter_idx finds a contact by its tags and properties.
--
-- Arguments:
--   organization  the id of the organization
--   tags          the tags of the contact
--   properties    the properties of the contact
-- Result: a hash for each tag, for the name of each property, and for each property with its value. A property
--   with a list has a hash for each entry. Equal numbers have equal hashes, however they are written.
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
  return keys;
end
$$;
