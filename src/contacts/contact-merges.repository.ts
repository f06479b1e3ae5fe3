import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { sqlState } from '../database/database-error.js';
import { ArgumentSigner } from '../database/transactions/argument-signer.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { EVENT_NAMES } from '../events/domain-events.js';
import type { AliasAddress } from './contact-aliases.repository.js';
import type { ContactMerge } from './contact-merge.entity.js';
import { type ContactFields, searchText } from './contact-fields.js';
import type { MergeUndo } from './contact-merge.js';
import { withConsentOrigin } from './consent-origin.js';
import { aliasLines, storedValues } from './contact-statements.js';

/** The longest wait for a lock. It must be shorter than 1 s, because PostgreSQL looks for a deadlock after 1 s. */
const LOCK_WAIT_MS = 300;
const USUAL_LOCK_WAIT_MS = 5000;

export type Merge = Omit<ContactMerge, 'organizationId' | 'moved'>;

/** The number of rows that were moved from one contact to another. */
export interface MovedRows {
  messages: number;
  runs: number;
  waits: number;
  events: number;
  aliases: number;
}

const COLUMNS = `merged_id as "mergedId", into_id as "intoId", survivor_id as "survivorId", merged_at as "mergedAt", undo`;
/**
 * Records the merge. The tenant role cannot insert the record, because SQL of a tool could then move the log of consent
 * of a contact.
 */
const RECORD = prepared('contact_merge_record', 'select record_contact_merge($1, $2)');
/**
 * Moves the rows of the contact $2 to the contact $3, and adds them to the record of the merge. A transaction must lock
 * both contacts before it sends this statement.
 */
const MOVE = `with messages_moved as (
     update messages set contact_id = $3 where organization_id = $1 and contact_id = $2 returning id
   ), runs_moved as (
     update workflow_runs set contact_id = $3 where organization_id = $1 and contact_id = $2 returning id
   ), events_moved as (
     update custom_events set contact_id = $3 where organization_id = $1 and contact_id = $2 returning id
   ), aliases_moved as (
     update contact_aliases set contact_id = $3 where organization_id = $1 and contact_id = $2 returning kind, value
   ), merges_moved as (
     update contact_merges set survivor_id = $3 where organization_id = $1 and survivor_id = $2 returning merged_id
   ), static_members as materialized (
     select m.segment_id as id from segment_members m
     join segments s on s.organization_id = m.organization_id and s.id = m.segment_id and s.kind = 'static'
     where m.organization_id = $1 and m.contact_id = $2
   ), members_added as (
     insert into segment_members (organization_id, segment_id, contact_id) select $1, id, $3 from static_members
     on conflict do nothing returning segment_id
   )
   update contact_merges m set moved = m.moved || jsonb_build_object(
     'messages', (select coalesce(jsonb_agg(id), '[]') from messages_moved),
     'runs', (select coalesce(jsonb_agg(id), '[]') from runs_moved),
     'events', (select coalesce(jsonb_agg(id), '[]') from events_moved),
     'aliases', (select coalesce(jsonb_agg(jsonb_build_array(kind, value)), '[]') from aliases_moved),
     'merges', (select coalesce(jsonb_agg(merged_id), '[]') from merges_moved),
     'segments', (select coalesce(jsonb_agg(id), '[]') from static_members),
     'segments_added', (select coalesce(jsonb_agg(segment_id), '[]') from members_added))
   where m.organization_id = $1 and m.merged_id = $2`;
/**
 * Moves the waits. {@link MOVE} is sent first and waits for steps that are just beginning a wait, so this statement
 * sees the waits of those steps.
 */
const MOVE_WAITS = `with waits_moved as (
     update run_waits set contact_id = $3
     where organization_id = $1 and contact_id = $2 and state = 'armed'
       and event = any($4::text[] || array(select event from event_interests where organization_id = $1))
     returning run_id, step_id
   )
   update contact_merges m set moved = m.moved || jsonb_build_object(
     'waits', (select coalesce(jsonb_agg(jsonb_build_array(run_id, step_id)), '[]') from waits_moved))
   where m.organization_id = $1 and m.merged_id = $2
   returning jsonb_array_length(moved -> 'messages') as messages, jsonb_array_length(moved -> 'runs') as runs,
     jsonb_array_length(moved -> 'waits') as waits, jsonb_array_length(moved -> 'events') as events,
     jsonb_array_length(moved -> 'aliases') as aliases`;
/** Moves rows back from the contact $3 to the restored contact $2, except rows that belong to another contact now. */
const MOVE_BACK = `with given as materialized (
     select moved from contact_merges where organization_id = $1 and merged_id = $2
   ), messages_moved as (
     update messages m set contact_id = $2 from (select jsonb_array_elements_text(moved -> 'messages') as id from given) g
     where m.organization_id = $1 and m.id = g.id and m.contact_id = $3 returning 1
   ), runs_moved as (
     update workflow_runs r set contact_id = $2 from (select jsonb_array_elements_text(moved -> 'runs') as id from given) g
     where r.organization_id = $1 and r.id = g.id and r.contact_id = $3 returning 1
   ), events_moved as (
     update custom_events e set contact_id = $2 from (select jsonb_array_elements_text(moved -> 'events') as id from given) g
     where e.organization_id = $1 and e.id = g.id and e.contact_id = $3 returning 1
   ), aliases_moved as (
     update contact_aliases a set contact_id = $2 from (select jsonb_array_elements(moved -> 'aliases') as place from given) g
     where a.organization_id = $1 and a.kind = g.place ->> 0 and a.value = g.place ->> 1 and a.contact_id = $3 returning 1
   ), merges_moved as (
     update contact_merges m set survivor_id = $2 from (select jsonb_array_elements_text(moved -> 'merges') as id from given) g
     where m.organization_id = $1 and m.merged_id = g.id and m.survivor_id = $3 returning 1
   ), members_restored as (
     insert into segment_members (organization_id, segment_id, contact_id)
     select $1, s.id, $2 from segments s where s.organization_id = $1 and s.kind = 'static'
       and s.id in (select jsonb_array_elements_text(moved -> 'segments') from given)
   ), members_removed as (
     delete from segment_members m using (select jsonb_array_elements_text(moved -> 'segments_added') as id from given) g
     where m.organization_id = $1 and m.segment_id = g.id and m.contact_id = $3
   )
   select (select count(*)::integer from messages_moved) as messages, (select count(*)::integer from runs_moved) as runs,
     (select count(*)::integer from events_moved) as events, (select count(*)::integer from aliases_moved) as aliases,
     (select count(*)::integer from merges_moved) as merges`;
const MOVE_WAITS_BACK = `with given as materialized (
     select moved from contact_merges where organization_id = $1 and merged_id = $2
   ), waits_moved as (
     update run_waits w set contact_id = $2 from (select jsonb_array_elements(moved -> 'waits') as place from given) g
     where w.organization_id = $1 and w.run_id = g.place ->> 0 and w.step_id = g.place ->> 1 and w.contact_id = $3
     returning 1
   )
   select count(*)::integer as waits from waits_moved`;

/** Moves rows between contacts. Every method needs a transaction of the organization. */
@Injectable()
export class ContactMergesRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly signer: ArgumentSigner,
  ) {}

  /**
   * Runs `work` behind a savepoint. When `work` waits too long for a lock, rolls back to the savepoint and returns
   * undefined. The rollback frees the locks of `work`, so that two transactions do not wait for each other in a
   * deadlock.
   */
  async tryWithoutWaiting<T>(
    organizationId: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.tenants.savepoint(organizationId, async () => {
        await this.limitWaits(organizationId, LOCK_WAIT_MS);
        const result = await work();
        await this.limitWaits(organizationId, USUAL_LOCK_WAIT_MS);
        return result;
      });
    } catch (error) {
      if (isLockConflict(error)) return undefined;
      throw error;
    }
  }

  /** Counts the messages and runs of a contact together, up to `most`. */
  async countRows(organizationId: string, contactId: string, most: number): Promise<number> {
    const [row] = await this.tenants.session(organizationId).query<{ count: number }>(
      `select count(*)::integer as count from (
         (select 1 from messages where organization_id = $1 and contact_id = $2 limit $3)
         union all
         (select 1 from workflow_runs where organization_id = $1 and contact_id = $2 limit $3)
         limit $3) rows`,
      [organizationId, contactId, most],
    );
    return row!.count;
  }

  /** Stores the merge, and moves everything that names the merged contact. */
  async move(
    organizationId: string,
    mergedId: string,
    survivorId: string,
    undo: MergeUndo,
  ): Promise<MovedRows> {
    const session = this.tenants.session(organizationId);
    const ids = [organizationId, mergedId, survivorId];
    const command = JSON.stringify({
      organization_id: organizationId,
      merged_id: mergedId,
      survivor_id: survivorId,
      undo,
    });
    session.defer(RECORD, [command, this.signer.sign('contact merge', command)]);
    await session.query(MOVE, ids);
    const [moved] = await session.query<MovedRows>(MOVE_WAITS, [...ids, [...EVENT_NAMES, 'any']]);
    return moved!;
  }

  /** Moves rows back to a contact that was inserted again, and removes the merge. */
  async moveBack(organizationId: string, mergedId: string, survivorId: string): Promise<MovedRows> {
    const session = this.tenants.session(organizationId);
    const ids = [organizationId, mergedId, survivorId];
    const [moved] = await session.query<Omit<MovedRows, 'waits'>>(MOVE_BACK, ids);
    const [armed] = await session.query<Pick<MovedRows, 'waits'>>(MOVE_WAITS_BACK, ids);
    await session.query(
      'delete from contact_merges where organization_id = $1 and merged_id = $2',
      [organizationId, mergedId],
    );
    return { ...moved!, ...armed! };
  }

  async findForUpdate(organizationId: string, mergedId: string): Promise<Merge | undefined> {
    const [merge] = await this.tenants
      .session(organizationId)
      .query<Merge>(
        `select ${COLUMNS} from contact_merges where organization_id = $1 and merged_id = $2 for update`,
        [organizationId, mergedId],
      );
    return merge;
  }

  /** Returns at most `limit` merges into a contact that can be undone, newest first. */
  async listUndoable(organizationId: string, intoId: string, limit: number): Promise<Merge[]> {
    return await this.tenants.session(organizationId).query<Merge>(
      `select ${COLUMNS} from contact_merges
       where organization_id = $1 and survivor_id = $2 and into_id = $2 and undo is not null
       order by merged_at desc, merged_id limit $3`,
      [organizationId, intoId, limit],
    );
  }

  /** Deletes these aliases of the contact. */
  async deleteAliases(
    organizationId: string,
    contactId: string,
    aliases: readonly AliasAddress[],
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `delete from contact_aliases a using unnest($3::text[], $4::text[]) as g (kind, value)
       where a.organization_id = $1 and a.contact_id = $2 and a.kind = g.kind and a.value = g.value`,
      [
        organizationId,
        contactId,
        aliases.map(({ kind }) => kind),
        aliases.map(({ value }) => value),
      ],
    );
  }

  /** Inserts a contact again, with its id and its time of creation. Returns false when an identifier is taken. */
  async restore(
    organizationId: string,
    id: string,
    fields: ContactFields,
    createdAt: string,
  ): Promise<boolean> {
    const rows = await this.tenants.session(organizationId).query(
      `insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name, locale, timezone,
         tags, properties, consent, search_text, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       on conflict do nothing returning id`,
      [...storedValues(organizationId, id, fields), createdAt],
    );
    return rows.length > 0;
  }

  /** Runs `work`. The log of consent names the merge, or its undoing, as the origin of the changes of `work`. */
  withOrigin<T>(
    organizationId: string,
    source: 'merge' | 'unmerge',
    work: () => Promise<T>,
  ): Promise<T> {
    return withConsentOrigin(this.tenants.session(organizationId), source, undefined, work);
  }

  /** Writes the search text again, after the aliases of the contact have changed. */
  async refreshSearch(organizationId: string, id: string, fields: ContactFields): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update contacts set search_text = $3::text || ${aliasLines('$2')}
       where organization_id = $1 and id = $2`,
      [organizationId, id, searchText(fields)],
    );
  }

  private async limitWaits(organizationId: string, milliseconds: number): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query('select public.limit_lock_waits($1)', [milliseconds]);
  }
}

/**
 * Returns true for a lock timeout (55P03) and a deadlock (40P01), and for an error of a savepoint that has such a
 * cause.
 */
function isLockConflict(error: unknown): boolean {
  const state = sqlState(error instanceof AppError ? error.cause : error);
  return state === '55P03' || state === '40P01';
}
