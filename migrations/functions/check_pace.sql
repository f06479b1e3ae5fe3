-- Checks the quiet hours and caps of the current organization for a message.
--
-- Arguments:
--   of_message  the message, or null for a message that is not stored
--   of_contact  its contact
--   of_channel  its channel
--   of_topic    its topic, or null
-- Result: a row for each rule that applies to the message:
--   code   quiet_hours or frequency_cap
--   cap    the name of the cap; null for quiet hours
--   until  the time at which the rule lets the message be sent; null for now
--   drops  true: the rule drops the message instead
-- Locks: none. A caller that begins an attempt because of the result locks the contact first: see pace_message().
--
-- Quiet hours apply to the channels that the rules of the organization name, and each cap to its channel and topic.
-- Neither applies to e-mail without a topic, unless transactional_email of the rules is true.
--
-- A cap counts the messages whose attempt began in its window and has not failed. The messages that wait for a cap
-- become due one after another. So when places of the cap become free, only as many messages become due as may be sent.
create or replace function public.check_pace(of_message text, of_contact text, of_channel text, of_topic text)
returns table (code text, cap text, until timestamptz, drops boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp as $$
declare
  organization constant text := public.current_organization();
  moment constant timestamptz := clock_timestamp();
  rules public.sending_rules;
  zone text;
  given record;
  begun timestamptz[];
  before integer;
  name text;
  opening timestamptz;
begin
  select * into rules from public.sending_rules r where r.organization_id = organization;
  if not found or of_channel = 'email' and of_topic is null and not rules.transactional_email then return; end if;
  select c.timezone into zone from public.contacts c where c.organization_id = organization and c.id = of_contact;
  if of_channel = any (rules.quiet_channels) then
    opening := public.quiet_until(moment, zone, rules.timezone, rules.quiet_from::time, rules.quiet_to::time, rules.quiet_days);
    return query select 'quiet_hours', null::text, nullif(opening, moment), false;
  end if;
  for given in
    select * from jsonb_to_recordset(rules.caps)
      as c (channel text, topic text, most integer, window_seconds integer, on_cap text)
  loop
    continue when given.channel <> of_channel or given.topic is not null and given.topic is distinct from of_topic;
    name := concat_ws(' ', given.channel, given.topic);
    begun := array(
      select n.counted_at from (
        select m.counted_at from public.messages m
        where m.organization_id = organization and m.contact_id = of_contact and m.channel = of_channel
          and m.counted_at > moment - make_interval(secs => given.window_seconds)
          and m.status in ('sending', 'uncertain', 'sent', 'delivered') and m.id is distinct from of_message
        order by m.counted_at desc limit given.most) n
      order by n.counted_at);
    opening := null;
    if cardinality(begun) >= given.most then
      select count(*) into before from (
        select from public.messages m
        where m.organization_id = organization and m.contact_id = of_contact and m.held_by = name and m.status = 'held'
          and (of_message is null or (m.created_at, m.id) < (
            select o.created_at, o.id from public.messages o
            where o.organization_id = organization and o.id = of_message))
        limit 10000) w;
      opening := begun[1 + before % given.most] + make_interval(secs => given.window_seconds::float8 * (1 + before / given.most));
      if of_channel = any (rules.quiet_channels) then
        opening := public.quiet_until(opening, zone, rules.timezone, rules.quiet_from::time, rules.quiet_to::time, rules.quiet_days);
      end if;
    end if;
    return query select 'frequency_cap', name, opening, opening is not null and given.on_cap = 'drop';
  end loop;
end
$$;
