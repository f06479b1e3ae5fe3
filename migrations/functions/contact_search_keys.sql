-- Computes the keys under which the index contacts_search_text_idx finds a text: one hash for every three
-- consecutive characters.
--
-- Arguments:
--   organization  the id of the organization
--   searched      the text
--   step          1 for a stored text: every position. 3 for a search: every third position and the last one.
-- Result: the hashes; an empty array for a text of fewer than three characters.
-- Locks: none.
--
-- A contact that contains a text has all of the text's keys. So every third key is enough for a search and takes half
-- the time. The whole id of the organization is the seed, so a search reads index entries of this organization only.
-- Otherwise SQL of a tool could count the matches in other organizations with the statistics of PostgreSQL about its
-- transaction. The declared cost of 1000 keeps plans from computing the keys contact by contact. The function is
-- PL/pgSQL, which takes half as long here as SQL.
create or replace function private.contact_search_keys(organization text, searched text, step integer)
returns bigint[]
language plpgsql immutable strict parallel safe cost 1000 as $$
declare
  seed constant bigint := hashtextextended(organization collate "C", 0);
  last_place integer := length(searched) - 2;
  keys bigint[] := '{}';
begin
  for place in 1 .. last_place by step loop
    keys := keys || hashtextextended(substr(searched, place, 3) collate "C", seed);
  end loop;
  if last_place > 0 and (last_place - 1) % step > 0 then
    keys := keys || hashtextextended(substr(searched, last_place, 3) collate "C", seed);
  end if;
  return keys;
end
$$;
