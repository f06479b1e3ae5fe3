import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { EmittedEvent, EventName } from '../../events/domain-events.js';
import type { Claim } from '../../queue/leased-work.js';

/** An event in the hands of this transaction. */
export interface HeldEvent {
  id: string;
  name: EventName;
  contact_id: string | null;
  payload: object;
}

/** A wait that an event may end, if its condition holds. */
export interface Candidate {
  run_id: string;
  step_id: string;
  condition: string | null;
  bindings: object | null;
}

/** What a condition said that could be evaluated, or why it could not. */
export interface Hit {
  runId: string;
  stepId: string;
  error: string | null;
}

/** Events that have happened and are yet to be handed to the runs that wait for them. */
@Injectable()
export class PendingEventsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Says that runs of the workflow may come to wait for these events. */
  async expect(
    organizationId: string,
    workflowId: string,
    events: readonly EventName[],
  ): Promise<void> {
    if (events.length === 0) return;
    await this.tenants.manager(organizationId).query(
      `insert into event_interests (organization_id, event, workflow_id)
       select $1, event, $2 from unnest($3::text[]) as event on conflict do nothing`,
      [organizationId, workflowId, events],
    );
  }

  /** Keeps the event if a run of the organization may wait for it, and says whether it did. */
  async insert(organizationId: string, event: EmittedEvent): Promise<boolean> {
    const rows = await this.tenants.manager(organizationId).query<unknown[]>(
      `insert into pending_events (organization_id, id, name, contact_id, payload, xid, happened_at)
       select $1, $2, $3, $4, $5, pg_current_xact_id()::text, clock_timestamp()
       where exists (select from event_interests i where i.organization_id = $1 and i.event = $3)
       returning id`,
      [organizationId, event.id, event.name, event.contactId, JSON.stringify(event.payload)],
    );
    return rows.length > 0;
  }

  /** The event, locked until this transaction ends; undefined when it is done or in other hands. */
  async fence({ organizationId, id, epoch }: Claim): Promise<HeldEvent | undefined> {
    const [row] = await this.tenants.manager(organizationId).query<HeldEvent[]>(
      `select id, name, contact_id, payload from pending_events
       where organization_id = $1 and id = $2 and epoch = $3 for update`,
      [organizationId, id, epoch],
    );
    return row;
  }

  /**
   * The next waits that the event may end: those that had begun when it happened, and those that began while its
   * transaction was open, for what that changed they cannot have seen.
   */
  async candidates(organizationId: string, event: HeldEvent, limit: number): Promise<Candidate[]> {
    // Of one contact, and of any; an event about nobody may end every wait.
    const contacts = event.contact_id === null ? null : ['', event.contact_id];
    return await this.tenants.manager(organizationId).query<Candidate[]>(
      `select w.run_id, w.step_id, w.condition, w.bindings
       from pending_events e
       join run_waits w on w.organization_id = e.organization_id and w.event = e.name and w.state = 'armed'
         and ($3::text[] is null or w.contact_id = any($3))
         and (w.run_id, w.step_id) > (e.after_run_id, e.after_step_id)
         and (w.armed_at <= e.happened_at
           or (w.armed_xid <> e.xid and not pg_visible_in_snapshot(e.xid::xid8, w.armed_snapshot::pg_snapshot)))
       join workflow_runs r on r.organization_id = w.organization_id and r.id = w.run_id
         and r.status in ('queued', 'running', 'waiting')
       where e.organization_id = $1 and e.id = $2
       order by w.run_id, w.step_id limit $4`,
      [organizationId, event.id, contacts, limit],
    );
  }

  /** Gives the event to waits that nothing has ended meanwhile, and returns their runs. */
  async deliver(organizationId: string, event: HeldEvent, hits: readonly Hit[]): Promise<string[]> {
    if (hits.length === 0) return [];
    const [rows] = await this.tenants.manager(organizationId).query<[{ run_id: string }[], number]>(
      // Locked in one order, as by whoever parks a run, so that nobody waits in a circle.
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
        hits.map(({ runId }) => runId),
        hits.map(({ stepId }) => stepId),
        hits.map(({ error }) => error),
      ],
    );
    return rows.map((row) => row.run_id);
  }

  /** Notes how far the event has come. */
  async advance(
    organizationId: string,
    id: string,
    { run_id, step_id }: Candidate,
    leaseSeconds: number,
  ): Promise<void> {
    await this.tenants.manager(organizationId).query(
      `update pending_events set after_run_id = $3, after_step_id = $4,
         available_at = clock_timestamp() + make_interval(secs => $5)
       where organization_id = $1 and id = $2`,
      [organizationId, id, run_id, step_id, leaseSeconds],
    );
  }

  async delete(organizationId: string, id: string): Promise<void> {
    await this.tenants
      .manager(organizationId)
      .query(`delete from pending_events where organization_id = $1 and id = $2`, [
        organizationId,
        id,
      ]);
  }
}
