-- Returns what the tenant role may do with each isolated table. private.ensure_roles() grants exactly this.
--
-- Arguments: none.
-- Result: one row for each table and privilege. columns is null when the privilege is for the whole table, and
--   has the names in alphabetical order otherwise.
-- Locks: none.
--
-- Each table of Switchboard has what its repository does. So SQL of a tool cannot do more: it cannot change a key,
-- a member, an organization or an entry of the audit log, and cannot write columns that only the database writes.
-- Tables of extensions are not in the list and can be read and written. A table without forced isolation gets
-- nothing, so a forgotten isolate() cannot leak rows.
create or replace function private.tenant_privileges()
returns table (target regclass, privilege text, columns text[])
language sql stable
set search_path = pg_catalog, pg_temp as $$
with listed (name, privilege, columns) as (values
  ('api_keys', 'select', '{created_at,created_by,expires_at,id,last_four,last_used_address,last_used_agent,last_used_at,last_used_client,organization_id,prefix,read_only,revoked_at,tools}'::text[]),
  ('audit_log', 'select', null),
  ('call_log', 'select', null),
  ('confirmations', 'select', null),
  ('confirmations', 'insert', '{api_key_id,arguments,digest,expires_at,id,organization_id,tool}'),
  ('confirmations', 'update', '{answered_at,answered_by,expires_at,state}'),
  ('contact_aliases', 'select', null),
  ('contact_aliases', 'insert', '{contact_id,kind,organization_id,value}'),
  ('contact_aliases', 'update', '{contact_id}'),
  ('contact_aliases', 'delete', null),
  ('contact_merges', 'select', null),
  ('contact_merges', 'insert', '{into_id,merged_id,moved,organization_id,survivor_id,undo}'),
  ('contact_merges', 'update', '{moved,survivor_id}'),
  ('contact_merges', 'delete', null),
  ('contact_properties', 'select', null),
  ('contact_properties', 'insert', '{name,options,organization_id,type}'),
  ('contact_properties', 'update', '{options,type,updated_at}'),
  ('contact_properties', 'delete', null),
  ('contact_settings', 'select', null),
  ('contact_settings', 'insert', null),
  ('contact_settings', 'update', '{region,strict_properties}'),
  ('contacts', 'select', null),
  ('contacts', 'insert', null),
  ('contacts', 'update', '{consent,email,external_id,first_name,last_name,locale,phone,properties,search_text,tags,timezone,updated_at}'),
  ('contacts', 'delete', null),
  ('custom_events', 'select', null),
  ('custom_events', 'insert', '{contact_id,data_bytes,data_preview,id,name,organization_id,run_id,started_runs}'),
  ('custom_events', 'update', '{contact_id,continued_runs}'),
  ('event_interests', 'select', null),
  ('event_interests', 'insert', null),
  ('file_chunks', 'select', null),
  ('file_chunks', 'insert', null),
  ('files', 'select', null),
  ('files', 'insert', null),
  ('idempotency_keys', 'select', null),
  ('idempotency_keys', 'insert', null),
  ('idempotency_keys', 'update', '{result}'),
  ('idempotency_keys', 'delete', null),
  ('import_chunks', 'select', null),
  ('import_chunks', 'insert', null),
  ('import_faults', 'select', null),
  ('import_faults', 'insert', null),
  ('import_keys', 'select', null),
  ('import_keys', 'insert', null),
  ('imports', 'select', null),
  ('imports', 'insert', '{columns,delimiter,encoding,id,name,organization_id}'),
  ('imports', 'update', '{attempts,chunks,columns,created,duplicate,encoding,epoch,error,failed,finished_at,generation,lease_until,next_chunk,options,preview,processed,rows,size,skipped,started_at,status,unchanged,updated}'),
  ('imports', 'delete', null),
  ('memberships', null, null),
  ('message_events', 'select', null),
  ('messages', 'select', null),
  ('messages', 'insert', null),
  ('messages', 'update', '{attempts,contact_id,due_at,lease_until,sent_at,status,status_reason,updated_at}'),
  ('offered_workflows', 'select', null),
  ('offered_workflows', 'insert', null),
  ('offered_workflows', 'update', '{description,input_schema,name,result,revision,title,updated_at,wait_seconds}'),
  ('offered_workflows', 'delete', null),
  ('organizations', null, null),
  ('parked_runs', 'select', null),
  ('parked_runs', 'delete', null),
  ('pending_events', 'select', null),
  ('pending_events', 'insert', '{contact_id,happened_at,id,name,organization_id,payload,xid}'),
  ('pending_events', 'update', '{after_run_id,after_step_id,available_at}'),
  ('pending_events', 'delete', null),
  ('retention_rules', 'select', null),
  ('retention_rules', 'insert', '{days,kind,organization_id}'),
  ('retention_rules', 'update', '{available_at,days,epoch}'),
  ('retention_rules', 'delete', null),
  ('run_steps', 'select', null),
  ('run_steps', 'insert', null),
  ('run_steps', 'update', '{attempts,cut,error,failed_attempts,finished_at,input,output,progress,status,wake_at}'),
  ('run_steps', 'delete', null),
  ('run_waits', 'select', null),
  ('run_waits', 'insert', null),
  ('run_waits', 'update', '{armed_at,armed_snapshot,armed_xid,bindings,cancels_child,child_run_id,condition,contact_id,error,event,payload,state}'),
  ('run_waits', 'delete', null),
  ('secrets', 'select', null),
  ('secrets', 'insert', null),
  ('secrets', 'update', '{sealed,updated_at,updated_by}'),
  ('secrets', 'delete', null),
  ('suppressed_addresses', 'select', null),
  ('suppressed_addresses', 'insert', '{address,channel,id,message_id,organization_id,reason}'),
  ('suppressed_addresses', 'delete', null),
  ('tool_policies', 'select', null),
  ('tool_policies', 'insert', null),
  ('tool_policies', 'delete', null),
  ('webhook_deliveries', 'select', null),
  ('webhook_deliveries', 'insert', null),
  ('webhook_deliveries', 'delete', null),
  ('workflow_runs', 'select', null),
  ('workflow_runs', 'insert', '{available_at,body_hash,contact_id,created_at,dedupe_key,delayed_by,depth,epoch,finished_at,id,large_payload,limited,organization_id,payload,reason,replay_of,request,root_run_id,slot_key,started_at,status,trigger_type,workflow_id,workflow_version}'),
  ('workflow_runs', 'update', '{answer,available_at,contact_id,crashes,debounce_key,delayed_by,delayed_until,epoch,finished_at,limited,reason,slot_key,status,workflow_version}'),
  ('workflow_schedules', 'select', null),
  ('workflow_schedules', 'insert', '{available_at,next_tick_at,organization_id,workflow_id}'),
  ('workflow_schedules', 'update', '{available_at,epoch,next_tick_at}'),
  ('workflow_schedules', 'delete', null),
  ('workflow_versions', 'select', null),
  ('workflow_versions', 'insert', null),
  ('workflow_versions', 'update', '{content,fitting_schemas,loose_references}'),
  ('workflows', 'select', null),
  ('workflows', 'insert', null),
  ('workflows', 'update', '{active,deleted_at,name,previous_secret,previous_secret_until,secret,trigger_event,trigger_options,trigger_type,updated_at,version,webhook_options}')
)
select c.oid::regclass, p.privilege, p.columns
from pg_class c
cross join lateral (
  select l.privilege, l.columns from listed l where l.name = c.relname and l.privilege is not null
  union all
  select unnest('{select,insert,update,delete}'::text[]), null
  where not exists (select from listed l where l.name = c.relname)
) p
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relforcerowsecurity
$$;
