-- Chains entries of the audit log that were committed: continues the chain of each organization by one hash per entry.
--
-- Arguments:
--   batch_size  the largest number of entries
-- Result: how many entries were chained.
-- Locks: first the entries of the queue, except those that another process has locked. Then the chains of the
--   organizations of these entries, in the order of the ids of the organizations. No call waits for these locks.
--
-- The order of the chain is the order in which the entries became visible to this function. Entries of one batch are
-- ordered by id. An entry that was deleted from the log before it was chained gets a hash too, so audit:verify reports
-- this entry as removed.
create or replace function gate.seal_audit_log(batch_size integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  entry record;
  chain private.audit_chains;
  seal private.audit_seals;
  sealed integer := 0;
begin
  for entry in
    with waiting as materialized (
      select w.ctid as place from private.audit_queue w limit batch_size for update skip locked
    ), taken as (
      delete from private.audit_queue q using waiting where q.ctid = waiting.place
      returning q.organization_id, q.at, q.id
    )
    select t.organization_id, t.at, t.id, coalesce(json_build_array(a.organization_id, a.id,
      to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), a.actor_kind, a.actor_id, a.action, a.subject,
      a.outcome, encode(a.arguments_digest, 'hex'), a.duration_ms, a.address, a.request_id, a.client,
      a.unlogged)::text, 'removed') as content
    from taken t left join public.audit_log a on a.organization_id = t.organization_id and a.at = t.at and a.id = t.id
    order by t.organization_id, t.id
  loop
    if entry.organization_id is distinct from chain.organization_id then
      perform private.store_seal(chain, seal);
      insert into private.audit_chains (organization_id, position, hash, anchor_hash)
      values (entry.organization_id, 0, sha256(''), sha256('')) on conflict do nothing;
      select c.* into chain from private.audit_chains c where c.organization_id = entry.organization_id for update;
      seal := row(entry.organization_id, 0, '{}', '{}', entry.at, entry.at, now());
    end if;
    chain.position := chain.position + 1;
    chain.hash := sha256(chain.hash || convert_to(entry.content, 'UTF8'));
    seal.last_position := chain.position;
    seal.entry_ids := seal.entry_ids || entry.id;
    seal.hashes := seal.hashes || chain.hash;
    seal.first_at := least(seal.first_at, entry.at);
    seal.last_at := greatest(seal.last_at, entry.at);
    sealed := sealed + 1;
  end loop;
  perform private.store_seal(chain, seal);
  return sealed;
end
$$;
