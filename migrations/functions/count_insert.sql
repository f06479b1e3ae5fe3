-- Trigger after each INSERT statement: subtracts the number of new rows from a quota.
--
-- Arguments: those of the trigger: the name of the quota; `daily` or `total`.
-- Result: nothing. When this quota or the quota of stored bytes is used up, the statement fails with SB002 and inserts
--   nothing.
-- Locks: those of private.take_quota.
--
-- A short text message that was received can be STOP. So it is not counted, and is stored also when the quota of messages
-- or of stored bytes is used up. The trigger keep_end makes sure that a received message is never sent.
--
-- The function runs as the owner. So rows that SQL of a tool inserts are counted too, and such SQL cannot change the
-- counters.
create or replace function private.count_insert() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  on_day date := case tg_argv[1] when 'daily' then (now() at time zone 'UTC')::date else 'epoch' end;
  counted record;
  is_refusing boolean;
  is_limited boolean;
  keywords bigint;
begin
  for counted in select i.organization_id, count(*) as amount from inserted i group by i.organization_id loop
    is_refusing := exists (select from private.quota_refusals);
    -- Most organizations have no limit of messages. For them, the counter must cost nothing.
    is_limited := exists (
      select from private.quota_defaults d
      left join private.quota_exceptions e on e.name = d.name and e.organization_id = counted.organization_id
      where d.name = tg_argv[0] and coalesce(e.amount, d.amount) is not null
    );
    continue when not is_refusing and not is_limited;
    if tg_table_name = 'messages' then
      select count(*) into keywords from inserted i
      where i.organization_id = counted.organization_id and i.status = 'received' and i.channel = 'sms'
        and octet_length(i.body) <= 160 and pg_column_size(i.*) <= 1000;
      counted.amount := counted.amount - keywords;
      continue when counted.amount = 0;
    end if;
    if is_refusing then
      perform private.refuse_over(counted.organization_id, array['stored_bytes']);
    end if;
    if is_limited then
      perform private.take_quota(counted.organization_id, tg_argv[0], counted.amount, on_day);
    end if;
  end loop;
  return null;
end
$$;
