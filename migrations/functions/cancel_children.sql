-- Trigger function: when a run is canceled, also cancels the runs whose end it was waiting for. A step of the canceled
-- run can prevent that.
--
-- Arguments: none (row trigger after an update of the status).
-- Result: null. The update fires this trigger again, so runs that the canceled runs were waiting for are canceled too.
-- Locks: the canceled runs. It waits for workers that have locked them.
--
-- A run is canceled by a call, a person or another canceled run. A trigger covers all three cases. A retry of the
-- canceled run finds the reason "parent_ended" and starts another run.
create or replace function private.cancel_children() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  update public.workflow_runs c set status = 'canceled', reason = 'parent_ended', finished_at = now(), epoch = c.epoch % 2147483647 + 1
  from public.run_waits w
  where w.organization_id = new.organization_id and w.run_id = new.id and w.state = 'armed' and w.cancels_child
    and c.organization_id = new.organization_id and c.id = w.child_run_id
    and c.status in ('queued', 'running', 'waiting');
  return null;
end
$$;
