-- Remembers the network from which a person has signed in, and forgets all networks except the newest twenty.
--
-- Arguments: the person's id; the IPv4 address, or the first 64 bits of the IPv6 address.
-- Result: nothing.
-- Locks: the rows of the person.
create or replace function gate.remember_address(of_user_id text, from_network text) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
insert into gate.known_addresses as k (user_id, network) values (of_user_id, from_network)
on conflict (user_id, network) do update set used_at = now();
delete from gate.known_addresses k
where k.user_id = of_user_id and k.network in (
  select o.network from gate.known_addresses o where o.user_id = of_user_id
  order by o.used_at desc, o.network offset 20
);
$$;
