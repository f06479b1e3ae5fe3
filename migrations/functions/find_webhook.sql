-- Finds the webhook of a workflow before its organization is known.
--
-- Arguments:
--   webhook_workflow_id  the workflow's id, from the address
-- Result: one row, or none. revision (xmin) differs after every change of the row; limited is true if the
--   workflow limits its runs.
-- Locks: none.
create or replace function gate.find_webhook(webhook_workflow_id text)
returns table (
  organization_id text,
  revision text,
  active boolean,
  secret bytea,
  previous_secret bytea,
  previous_is_valid boolean,
  options jsonb,
  condition text,
  limited boolean
)
language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
select w.organization_id, w.xmin::text, w.active, w.secret, w.previous_secret,
  coalesce(w.previous_secret_until > now(), false), w.webhook_options, w.trigger_options->>'if',
  w.trigger_options->'limits' is not null
from public.workflows w
where w.id = webhook_workflow_id and w.deleted_at is null and w.trigger_type = 'webhook'
limit 1
$$;
