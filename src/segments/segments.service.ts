import { Injectable } from '@nestjs/common';
import { ContactOrder } from '../contacts/contact-order.js';
import type { Contact } from '../contacts/contact.entity.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { SegmentFiltersService } from '../contacts/segment-filters.service.js';
import { isTimed, segmentsIn, withSegmentIds } from '../contacts/segment-nodes.js';
import { violatedConstraint } from '../database/database-error.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { WakeUps } from '../queue/wake-ups.js';
import { fingerprint } from '../text/canonical-json.js';
import { newId } from '../text/ids.js';
import { SegmentMembersRepository } from './segment-members.repository.js';
import type { Segment } from './segment.entity.js';
import { SegmentsRepository } from './segments.repository.js';

const MOST_SEGMENTS = 100;
/** Members are counted up to this number, so that a count takes a limited time. */
const MOST_COUNTED = 10_000;
const MOST_NAMES = 5;

/** A segment with the number of its members. The number is exact if `isComplete` is true. */
export interface CountedSegment {
  segment: Segment;
  count: number;
  isComplete: boolean;
}

interface SegmentChanges {
  name?: string;
  description?: string | null;
  filters?: object[];
}

/** Manages segments. Every method needs a transaction of the organization. */
@Injectable()
export class SegmentsService {
  constructor(
    private readonly segments: SegmentsRepository,
    private readonly members: SegmentMembersRepository,
    private readonly filters: SegmentFiltersService,
    private readonly contacts: ContactsService,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
  ) {}

  /** Returns a segment. Throws `not_found` when the organization has no such segment. */
  async get(organizationId: string, id: string): Promise<Segment> {
    return assertFound(await this.segments.find(organizationId, id), 'segment');
  }

  /** Locks a segment, so that nobody can delete it until the transaction ends. Returns true if the segment exists. */
  keep(organizationId: string, id: string): Promise<boolean> {
    return this.segments.keep(organizationId, id);
  }

  /**
   * Returns a segment and locks it, so that nobody can delete it until the transaction ends. Throws `not_found` when
   * the organization has no such segment, also when another transaction deletes it meanwhile.
   */
  async getAndKeep(organizationId: string, id: string): Promise<Segment> {
    if (!(await this.keep(organizationId, id))) throw AppError.notFound('segment');
    return await this.get(organizationId, id);
  }

  /**
   * Creates a segment. With filters, the segment is dynamic. Without filters, it is static. Throws `conflict` for a
   * taken name and for too many segments.
   */
  async create(
    organizationId: string,
    { name, description, filters }: SegmentChanges & { name: string },
  ): Promise<Segment> {
    // Without the lock, two segments that are saved at the same time could name each other.
    await this.tenants.lockOrganization(organizationId);
    if ((await this.segments.count(organizationId)) >= MOST_SEGMENTS) {
      const message = `At most ${MOST_SEGMENTS} segments are allowed. Delete one that nobody needs.`;
      throw new AppError('conflict', message);
    }
    const id = newId('seg');
    const content = filters
      ? { kind: 'dynamic' as const, ...(await this.readFilters(organizationId, id, filters)) }
      : { kind: 'static' as const, filters: null, uses: [], timed: false };
    await this.saving(organizationId, () =>
      this.segments.insert(organizationId, id, {
        ...content,
        name: readName(name),
        description: description || null,
      }),
    );
    this.wake(organizationId);
    return await this.get(organizationId, id);
  }

  /**
   * Changes a segment. With other filters, all contacts are compared again without events. Throws `not_found`, and
   * `conflict` for a taken name and for filters of a static segment.
   */
  async update(organizationId: string, id: string, changes: SegmentChanges): Promise<Segment> {
    await this.tenants.lockOrganization(organizationId);
    const before = assertFound(await this.segments.findForUpdate(organizationId, id), 'segment');
    const { name, description, filters } = changes;
    if (filters) await this.changeFilters(before, filters);
    if (name !== undefined || description !== undefined) {
      const next = {
        name: name === undefined ? before.name : readName(name),
        description: description === undefined ? before.description : description || null,
      };
      await this.saving(organizationId, () => this.segments.rename(organizationId, id, next));
    }
    return await this.get(organizationId, id);
  }

  /** Deletes a segment and emits no event. Throws `not_found`, and `conflict` while a segment or a workflow uses it. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.tenants.lockOrganization(organizationId);
    assertFound(await this.segments.findForUpdate(organizationId, id), 'segment');
    const dependents = await this.segments.findDependents(organizationId, id);
    const workflows = await this.segments.findWorkflows(organizationId, id, MOST_NAMES);
    const users = [
      ...dependents.slice(0, MOST_NAMES).map(({ name }) => `the segment "${name}"`),
      ...workflows.map((name) => `the workflow "${name}"`),
    ];
    if (users.length > 0) {
      throw new AppError(
        'conflict',
        `The segment is used by ${users.join(', ')}. Remove it there first.`,
      );
    }
    await this.segments.delete(organizationId, id);
  }

  /** Returns a page of the segments, the newest first. */
  async list(
    organizationId: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ segments: CountedSegment[]; nextCursor: string | null }> {
    const after = readTimeCursor(page.cursor);
    const rows = await this.segments.list(organizationId, after, page.limit + 1);
    const { page: segments, nextCursor } = pageOf(rows, page.limit, timeCursor);
    return { segments: await this.count(organizationId, segments), nextCursor };
  }

  /** Adds the number of members to each segment. */
  async count(organizationId: string, segments: readonly Segment[]): Promise<CountedSegment[]> {
    const ids = segments.map(({ id }) => id);
    const counts = await this.members.count(organizationId, ids, MOST_COUNTED + 1);
    return segments.map((segment) => {
      const count = counts.get(segment.id) ?? 0;
      const isComplete = count <= MOST_COUNTED && !segment.baseline;
      return { segment, count: Math.min(count, MOST_COUNTED), isComplete };
    });
  }

  /** Returns a page of the contacts that are in the segment now, the newest first. Throws `not_found`. */
  async listContacts(
    organizationId: string,
    id: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ contacts: Contact[]; nextCursor: string | null }> {
    await this.get(organizationId, id);
    const given = [{ field: 'segment', operator: 'is', value: id }];
    const filters = await this.filters.read(organizationId, given);
    const order = new ContactOrder('-created_at');
    return await this.contacts.search(organizationId, { text: undefined, filters }, order, page);
  }

  private async changeFilters(before: Segment, given: object[]): Promise<void> {
    const { organizationId, id } = before;
    if (before.kind === 'static') {
      const message = 'A static segment has no filters. Create a dynamic segment instead.';
      throw new AppError('conflict', message);
    }
    const content = await this.readFilters(organizationId, id, given);
    if (fingerprint(content.filters).equals(fingerprint(before.filters))) return;
    const dependents = await this.segments.findDependents(organizationId, id);
    const changed = { id, name: before.name, filters: content.filters };
    for (const other of dependents) {
      const within = [other.id];
      const nodes = await this.filters.read(organizationId, other.filters!, { changed, within });
      await this.segments.restart(organizationId, other.id, isTimed(nodes));
    }
    await this.segments.setFilters(organizationId, id, content);
    this.wake(organizationId);
  }

  /** Validates filters, and replaces the names of segments by ids, so that a segment can be renamed. */
  private async readFilters(
    organizationId: string,
    id: string,
    given: object[],
  ): Promise<Pick<Segment, 'filters' | 'uses' | 'timed'> & { filters: object[] }> {
    const names = segmentsIn(await this.filters.parse(organizationId, given));
    const nodes = await this.filters.read(organizationId, given, { within: [id] });
    const found = await this.filters.findNamed(organizationId, names);
    const idOf = (name: string): string =>
      (found.find((one) => one.id === name) ?? found.find((one) => one.name === name))!.id;
    return {
      filters: withSegmentIds(given, idOf),
      uses: [...new Set(names.map(idOf))],
      timed: isTimed(nodes),
    };
  }

  private async saving(organizationId: string, save: () => Promise<void>): Promise<void> {
    try {
      await this.tenants.savepoint(organizationId, save);
    } catch (error) {
      if (violatedConstraint(error) !== 'segments_organization_id_name_key') throw error;
      throw new AppError('conflict', 'Another segment has this name. Choose another name.');
    }
  }

  private wake(organizationId: string): void {
    this.tenants.afterCommit(() => this.wakeUps.wake('segment', organizationId));
  }
}

/** Returns the name without spaces around it. Throws `invalid_arguments` for a name that looks like an id. */
function readName(given: string): string {
  const name = given.trim();
  if (name === '') throw AppError.invalidField('name', 'must not be empty');
  // A condition names a segment by its id or its name.
  if (!name.startsWith('seg_')) return name;
  throw AppError.invalidField('name', 'must not begin with seg_, because ids do');
}
