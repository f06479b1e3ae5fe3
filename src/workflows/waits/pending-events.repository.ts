import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { isCustomEventName } from '../../events/custom-event-name.js';
import type { EmittedEvent, EventName } from '../../events/domain-events.js';
import type { Claim } from '../../queue/leased-work.js';
import { EVENTS_BINDING } from '../definitions/steps/event-wait-step.js';

/** A pending event whose row this transaction has locked. */
export interface ClaimedEvent {
  id: string;
  name: EventName;
  contact_id: string | null;
  payload: object;
}

export interface Candidate {
  run_id: string;
  step_id: string;
  condition: string | null;
  bindings: object | null;
}

/** An armed wait that has timed out at `until`. */
export interface TimedOutWait {
  runId: string;
  stepId: string;
  until: Date;
}

/** A wait that an event ends. `error` is set when the condition failed. */
export interface Match {
  runId: string;
  stepId: string;
  error: string | null;
}

// This statement is prepared, because every domain event sends it.
const INSERT = prepared(
  'pending_event_insert',
  `insert into pending_events (organization_id, id, name, contact_id, payload, xid, happened_at)
   select $1, $2, $3, $4, $5, pg_current_xact_id()::text, clock_timestamp()
   where exists (select from event_interests i where i.organization_id = $1 and i.event = $3)
   returning id`,
);

const IS_AWAITED = prepared(
  'event_is_awaited',
  'select 1 as one from event_interests i where i.organization_id = $1 and i.event = $2 limit 1',
);

/** SQL that is true when the wait `w` began before the event `e`, or while the transaction of the event was open. */
const BEGAN_IN_TIME = `(w.armed_at <= e.happened_at
  or (w.armed_xid <> e.xid and not pg_visible_in_snapshot(e.xid::xid8, w.armed_snapshot::pg_snapshot)))`;

/**
 * SQL that is true when the event `e` has a name of the wait and happened by its timeout. The index leaves out longer
 * texts, which only SQL of a tool can store. PostgreSQL uses the index only when the same lengths are compared here.
 */
const HAPPENED_IN_TIME = `e.organization_id = $1 and e.name = any(w.names) and e.happened_at <= $4
     and octet_length(e.name) <= 200 and coalesce(octet_length(e.contact_id), 0) <= 200`;

// The search has three parts that use the index of names and contacts. Without these parts, thousands of undelivered
// events about other contacts would slow the search down. The statement is not prepared, because a plan that was made
// for few events would be kept.
const HAS_EVENT = `with wait as materialized (
   select w.*, case when w.event <> 'any' then array[w.event]
     when json_typeof(w.bindings -> $5::text) = 'array'
       then array(select jsonb_array_elements_text((w.bindings -> $5::text)::jsonb)) end as names
   from run_waits w where w.organization_id = $1 and w.run_id = $2 and w.step_id = $3 and w.state = 'armed'
 )
 select from wait w cross join lateral (
   select e.* from pending_events e
   where ${HAPPENED_IN_TIME} and w.contact_id = ''
   union all
   select e.* from pending_events e
   where ${HAPPENED_IN_TIME}
     and e.contact_id = any(array(select w.contact_id union all select m.merged_id from contact_merges m
       where m.organization_id = $1 and m.survivor_id = w.contact_id))
   union all
   select e.* from pending_events e
   where ${HAPPENED_IN_TIME} and e.contact_id is null
     and w.contact_id <> '' and starts_with(e.name, 'custom.')
 ) e
 where (w.run_id, w.step_id) > (e.after_run_id, e.after_step_id) and ${BEGAN_IN_TIME}
 limit 1`;

@Injectable()
export class PendingEventsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Stores the event if a run of the organization may wait for it. Returns true if it stored the event. */
  async insert(organizationId: string, event: EmittedEvent): Promise<boolean> {
    const values = [
      organizationId,
      event.id,
      event.name,
      event.contactId,
      JSON.stringify(event.payload),
    ];
    const rows = await this.tenants.session(organizationId).query<unknown>(INSERT, values);
    return rows.length > 0;
  }

  /** Returns true if a run of the organization may wait for events of this name. */
  async isAwaited(organizationId: string, name: EventName): Promise<boolean> {
    const rows = await this.tenants
      .session(organizationId)
      .query(IS_AWAITED, [organizationId, name]);
    return rows.length > 0;
  }

  /**
   * Locks the event until the transaction ends. Returns undefined when it was delivered, or when another worker has
   * claimed it.
   */
  async fence({ organizationId, id, epoch }: Claim): Promise<ClaimedEvent | undefined> {
    const [row] = await this.tenants.session(organizationId).query<ClaimedEvent>(
      `select id, name, contact_id, payload from pending_events
       where organization_id = $1 and id = $2 and epoch = $3 for update`,
      [organizationId, id, epoch],
    );
    return row;
  }

  /**
   * Returns the next waits that the event may end. These are the waits that began before the event and had not timed out
   * then, and the waits that began while the transaction of the event was open. A step that began to wait while that
   * transaction was open could not see its changes. An event about a contact ends waits for this contact, for the
   * survivor of its merge, and for any contact. An event without a contact ends only waits for any contact. A custom
   * event without a contact may end every wait.
   */
  async findCandidates(
    organizationId: string,
    event: ClaimedEvent,
    limit: number,
  ): Promise<Candidate[]> {
    return await this.tenants.session(organizationId).query<Candidate>(
      `select w.run_id, w.step_id, w.condition, w.bindings
       from pending_events e
       join run_waits w on w.organization_id = e.organization_id and w.event in (e.name, 'any') and w.state = 'armed'
         and (w.event <> 'any' or (w.bindings -> $5::text)::jsonb ? e.name)
         and ($6::boolean or w.contact_id = any(array['', $3, (select m.survivor_id from contact_merges m
           where m.organization_id = $1 and m.merged_id = $3)]))
         and (w.run_id, w.step_id) > (e.after_run_id, e.after_step_id)
         and ${BEGAN_IN_TIME} and (w.ends_at is null or e.happened_at <= w.ends_at)
       join workflow_runs r on r.organization_id = w.organization_id and r.id = w.run_id
         and r.status in ('queued', 'running', 'waiting')
       where e.organization_id = $1 and e.id = $2
       order by w.run_id, w.step_id limit $4`,
      [organizationId, event.id, event.contact_id, limit, EVENTS_BINDING, isForEveryWait(event)],
    );
  }

  /**
   * Returns true when an event that may end the wait happened before its timeout, and has not been compared with the
   * wait yet. Lock the wait first. Otherwise the event could be delivered after this query and before the timeout.
   */
  async mayEnd(organizationId: string, { runId, stepId, until }: TimedOutWait): Promise<boolean> {
    const rows = await this.tenants
      .session(organizationId)
      .query<unknown>(HAS_EVENT, [organizationId, runId, stepId, until, EVENTS_BINDING]);
    return rows.length > 0;
  }

  /** Delivers the event to the waits that are still armed. Returns the ids of their runs. */
  async deliver(
    organizationId: string,
    event: ClaimedEvent,
    matches: readonly Match[],
  ): Promise<string[]> {
    if (matches.length === 0) return [];
    const rows = await this.tenants.session(organizationId).query<{ run_id: string }>(
      // Lock rows in the same order as a transaction that suspends a run, so that the two transactions cannot deadlock.
      `with hits as materialized (
           select w.run_id, w.step_id, h.error
           from run_waits w join unnest($3::text[], $4::text[], $5::text[]) as h (run_id, step_id, error)
             on w.run_id = h.run_id and w.step_id = h.step_id
           where w.organization_id = $1 and w.state = 'armed'
           order by w.run_id, w.step_id for no key update of w
         )
         update run_waits w set state = 'delivered', error = hits.error,
           payload = (select e.payload from pending_events e where e.organization_id = $1 and e.id = $2)
         from hits
         where w.organization_id = $1 and w.run_id = hits.run_id and w.step_id = hits.step_id and w.state = 'armed'
         returning w.run_id`,
      [
        organizationId,
        event.id,
        matches.map(({ runId }) => runId),
        matches.map(({ stepId }) => stepId),
        matches.map(({ error }) => error),
      ],
    );
    return rows.map((row) => row.run_id);
  }

  /** Stores the last compared wait, and renews the lease. */
  async advance(
    organizationId: string,
    id: string,
    { run_id, step_id }: Candidate,
    leaseSeconds: number,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update pending_events set after_run_id = $3, after_step_id = $4, failures = 0,
         available_at = clock_timestamp() + make_interval(secs => $5)
       where organization_id = $1 and id = $2`,
      [organizationId, id, run_id, step_id, leaseSeconds],
    );
  }

  /**
   * Counts a failure, and makes the event due after a pause: 2 s after the first failure, then twice as long each time,
   * at most 512 s. Returns the number of failures since the last delivered wait.
   */
  async postpone({ organizationId, id, epoch }: Claim): Promise<number> {
    const [row] = await this.tenants.session(organizationId).query<{ failures: number }>(
      `update pending_events set failures = least(greatest(failures, 0), 1000) + 1,
         available_at = clock_timestamp() + make_interval(secs => power(2, 1 + least(greatest(failures, 0), 8)))
       where organization_id = $1 and id = $2 and epoch = $3 returning failures`,
      [organizationId, id, epoch],
    );
    return row?.failures ?? 0;
  }

  /** Makes the event due after the given seconds, unless another worker has claimed it. */
  async pause({ organizationId, id, epoch }: Claim, seconds: number): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update pending_events set available_at = clock_timestamp() + make_interval(secs => $4)
       where organization_id = $1 and id = $2 and epoch = $3`,
      [organizationId, id, epoch, seconds],
    );
  }

  /** Deletes the event without reading it, unless another worker has claimed it. */
  async discard({ organizationId, id, epoch }: Claim): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(`delete from pending_events where organization_id = $1 and id = $2 and epoch = $3`, [
        organizationId,
        id,
        epoch,
      ]);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(`delete from pending_events where organization_id = $1 and id = $2`, [
        organizationId,
        id,
      ]);
  }
}

/**
 * Returns true for a custom event without a contact. Other events can lack a contact because it was deleted. They must
 * not end waits for other contacts.
 */
function isForEveryWait({ name, contact_id: contactId }: ClaimedEvent): boolean {
  return contactId === null && isCustomEventName(name);
}
