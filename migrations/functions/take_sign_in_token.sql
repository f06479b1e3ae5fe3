-- Counts an attempt to sign in.
--
-- Arguments:
--   for_email    the e-mail address, in upper or lower case
--   from_network the IPv4 address, or the first 64 bits of the IPv6 address, of the caller
--   per_minute   the attempts per minute for one account. One network may make three times as many, for all accounts
--                together.
-- Result: 0; or the seconds until the next attempt may be made.
-- Locks: the rows of the buckets, first the row of the network.
--
-- A network from which the person has signed in before has its own bucket for this account. Guesses at this account
-- from other networks, and guesses at other accounts, take nothing from this bucket. So such guesses cannot lock the
-- person out of this network.
create or replace function gate.take_sign_in_token(for_email text, from_network text, per_minute integer)
returns double precision
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  account constant text := lower(for_email);
  seconds double precision;
begin
  if exists (
    select from gate.users u join gate.known_addresses k on k.user_id = u.id
    where lower(u.email) = account and k.network = from_network
  ) then
    return gate.take_token('sign in from ' || from_network || ' to ' || account, per_minute, 60);
  end if;
  seconds := gate.take_token('sign in from ' || from_network, 3 * per_minute, 60);
  if seconds = 0 then
    seconds := gate.take_token('sign in to ' || account, per_minute, 60);
  end if;
  return seconds;
end
$$;
