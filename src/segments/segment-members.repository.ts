import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';

/** Stores which contacts are in a segment. Every method needs a transaction of the organization. */
@Injectable()
export class SegmentMembersRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Keeps contacts from being deleted until the transaction ends. A transaction that writes members of several segments
   * must call this method first. Otherwise the transaction and a change of a contact could wait for each other.
   */
  async keepContacts(organizationId: string, contactIds: readonly string[]): Promise<void> {
    if (contactIds.length === 0) return;
    await this.session(organizationId).query(
      'select from contacts where organization_id = $1 and id = any($2) order by id for key share',
      [organizationId, contactIds],
    );
  }

  /** Adds contacts that exist and are not in the segment. Returns their ids. */
  async add(
    organizationId: string,
    segmentId: string,
    contactIds: readonly string[],
  ): Promise<string[]> {
    if (contactIds.length === 0) return [];
    // Without the lock, a contact that is deleted meanwhile would abort the whole transaction.
    const rows = await this.session(organizationId).query<{ contact_id: string }>(
      `insert into segment_members (organization_id, segment_id, contact_id)
       select $1, $2, c.id from (
         select c.id from contacts c where c.organization_id = $1 and c.id = any($3) order by c.id for key share
       ) c
       on conflict do nothing returning contact_id`,
      [organizationId, segmentId, contactIds],
    );
    return rows.map(({ contact_id: id }) => id);
  }

  /** Removes contacts that are in the segment. Returns their ids. */
  async remove(
    organizationId: string,
    segmentId: string,
    contactIds: readonly string[],
  ): Promise<string[]> {
    if (contactIds.length === 0) return [];
    const rows = await this.session(organizationId).query<{ contact_id: string }>(
      `delete from segment_members where organization_id = $1 and segment_id = $2 and contact_id = any($3)
       returning contact_id`,
      [organizationId, segmentId, contactIds],
    );
    return rows.map(({ contact_id: id }) => id);
  }

  /**
   * Returns the current id of the contact for each given id that exists. The two ids differ when the contact was
   * merged into another contact.
   */
  async findContacts(
    organizationId: string,
    contactIds: readonly string[],
  ): Promise<Map<string, string>> {
    const rows = await this.session(organizationId).query<{ given: string; id: string }>(
      `select g.id as given, c.id from unnest($2::text[]) as g (id)
       left join contact_merges m on m.organization_id = $1 and m.merged_id = g.id
       join contacts c on c.organization_id = $1 and c.id = coalesce(m.survivor_id, g.id)`,
      [organizationId, contactIds],
    );
    return new Map(rows.map(({ given, id }) => [given, id]));
  }

  /** Returns, for each segment, the ids of those contacts that are in it. */
  async findSegmentsOf(
    organizationId: string,
    contactIds: readonly string[],
  ): Promise<Map<string, Set<string>>> {
    const rows = await this.session(organizationId).query<{
      segment_id: string;
      contact_id: string;
    }>(
      'select segment_id, contact_id from segment_members where organization_id = $1 and contact_id = any($2)',
      [organizationId, contactIds],
    );
    const found = new Map<string, Set<string>>();
    for (const { segment_id: segment, contact_id: contact } of rows) {
      found.set(segment, (found.get(segment) ?? new Set()).add(contact));
    }
    return found;
  }

  /** Returns the members with larger ids than `after`, up to `upTo` or to the end. */
  async listRange(
    organizationId: string,
    segmentId: string,
    after: string,
    upTo: string | null,
  ): Promise<string[]> {
    const rows = await this.session(organizationId).query<{ contact_id: string }>(
      `select contact_id from segment_members
       where organization_id = $1 and segment_id = $2 and contact_id > $3 and ($4::text is null or contact_id <= $4)`,
      [organizationId, segmentId, after, upTo],
    );
    return rows.map(({ contact_id: id }) => id);
  }

  /** Counts the members of each segment. Counts no more than `most` members of one segment. */
  async count(
    organizationId: string,
    segmentIds: readonly string[],
    most: number,
  ): Promise<Map<string, number>> {
    const rows = await this.session(organizationId).query<{ id: string; count: number }>(
      `select given.id, members.count from unnest($2::text[]) as given (id) cross join lateral (
         select cast(count(*) as integer) as count from (
           select 1 from segment_members m where m.organization_id = $1 and m.segment_id = given.id limit $3
         ) m
       ) members`,
      [organizationId, segmentIds, most],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Makes workers compare these contacts with the dynamic segments whose filters name the segment, if there are any. */
  async markChanged(
    organizationId: string,
    segmentId: string,
    contactIds: readonly string[],
  ): Promise<boolean> {
    const rows = await this.session(organizationId).query(
      `insert into segment_changes (organization_id, contact_id)
       select $1, contact_id from unnest($3::text[]) as given (contact_id)
       where exists (select from segments s where s.organization_id = $1 and $2 = any(s.uses))
       on conflict do nothing returning contact_id`,
      [organizationId, segmentId, contactIds],
    );
    return rows.length > 0;
  }

  private session(organizationId: string) {
    return this.tenants.session(organizationId);
  }
}
