-- Returns when quiet hours let a message be sent. check_pace() calls it for messages to which quiet hours apply.
--
-- Arguments:
--   at          the time to check
--   zone        the time zone of the contact, or null
--   other_zone  is used when zone is null or unknown
--   starts      the local time at which quiet hours begin
--   ends        the local time at which they end, on the next day if ends is not later than starts
--   days        the days on which they begin, from 1 for Monday to 7 for Sunday
-- Result: the time to check when it is outside quiet hours. Otherwise the time at which these quiet hours end.
-- Locks: none.
--
-- A local time that daylight saving skips is moved later by the length of the gap. When a local time occurs twice,
-- quiet hours begin at its first occurrence and end at its second occurrence.
create or replace function public.quiet_until(
  at timestamptz, zone text, other_zone text, starts time, ends time, days integer[]
) returns timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  moment timestamptz := at;
  used_zone text := coalesce(zone, other_zone);
  today date;
  since timestamptz;
  until timestamptz;
  is_quiet boolean;
begin
  begin
    today := at at time zone used_zone;
  exception when invalid_parameter_value then
    used_zone := other_zone;
  end;
  -- Quiet hours of one day can end within those of the next day. In a week, quiet hours begin
  -- at most seven times, so eight checks are enough.
  for turn in 1 .. 8 loop
    today := moment at time zone used_zone;
    is_quiet := false;
    -- Quiet hours that began yesterday can last until today.
    for back in 0 .. 1 loop
      continue when not extract(isodow from today - back)::integer = any (days);
      since := (today - back + starts) at time zone used_zone;
      -- When a local time occurs twice, PostgreSQL takes its second occurrence.
      if (since - interval '1 hour') at time zone used_zone = today - back + starts then
        since := since - interval '1 hour';
      end if;
      until := (today - back + ends + case when ends <= starts then interval '1 day' else interval '0' end)
        at time zone used_zone;
      if moment >= since and moment < until then
        moment := until;
        is_quiet := true;
        exit;
      end if;
    end loop;
    exit when not is_quiet;
  end loop;
  return moment;
end
$$;
