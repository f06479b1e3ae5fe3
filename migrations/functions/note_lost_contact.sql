-- Trigger function: notes that the contact of a run was deleted.
--
-- Arguments: none (row trigger before update of workflow_runs, whose condition selects runs that lose their contact).
-- Result: the row with the note.
-- Locks: none.
create or replace function private.note_lost_contact() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  new.lost_contact := true;
  return new;
end
$$;
