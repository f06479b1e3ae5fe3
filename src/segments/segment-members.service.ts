import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { ContactView } from '../contacts/contact.results.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { WakeUps } from '../queue/wake-ups.js';
import { ContactMatchesRepository } from './contact-matches.repository.js';
import { SegmentMembersRepository } from './segment-members.repository.js';
import type { Segment } from './segment.entity.js';

/** The contacts that enter and leave a segment, by their ids. */
export interface MemberChanges {
  entered: readonly string[];
  left: readonly string[];
}

/** The number of contacts that a call added to or removed from a segment, and the ids that no contact has. */
export interface ChangedMembers {
  changed: number;
  unknown: string[];
}

/** Adds contacts to segments and removes them. Every method needs a transaction of the organization. */
@Injectable()
export class SegmentMembersService {
  constructor(
    private readonly members: SegmentMembersRepository,
    private readonly matches: ContactMatchesRepository,
    private readonly events: DomainEvents,
    private readonly changes: ChangeFeed,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
  ) {}

  /**
   * Adds contacts to a static segment, and emits an event for each contact that was not in it. Throws `conflict` for a
   * dynamic segment.
   */
  async add(segment: Segment, contactIds: readonly string[]): Promise<ChangedMembers> {
    return await this.change(segment, contactIds, (ids) => ({ entered: ids, left: [] }));
  }

  /**
   * Removes contacts from a static segment, and emits an event for each contact that was in it. Throws `conflict` for a
   * dynamic segment.
   */
  async remove(segment: Segment, contactIds: readonly string[]): Promise<ChangedMembers> {
    return await this.change(segment, contactIds, (ids) => ({ entered: [], left: ids }));
  }

  /** Stores the changes, and emits an event for each one unless `emitsEvents` is false. Returns the contacts. */
  async apply(
    segment: Segment,
    { entered, left }: MemberChanges,
    emitsEvents: boolean,
  ): Promise<string[]> {
    const { organizationId, id } = segment;
    const added = await this.members.add(organizationId, id, entered);
    const removed = await this.members.remove(organizationId, id, left);
    if (emitsEvents) {
      await this.emit(segment, 'segment.entered', added);
      await this.emit(segment, 'segment.left', removed);
    }
    const changed = [...added, ...removed];
    if (changed.length > 0) {
      this.changes.publish(organizationId, resourceChange('segments', id));
    }
    return changed;
  }

  private async change(
    segment: Segment,
    contactIds: readonly string[],
    changesOf: (ids: readonly string[]) => MemberChanges,
  ): Promise<ChangedMembers> {
    const { organizationId, kind, id } = segment;
    if (kind === 'dynamic') {
      const message =
        'The filters of a dynamic segment decide who is in it. Change them with update_segment.';
      throw new AppError('conflict', message);
    }
    const known = await this.members.findContacts(organizationId, contactIds);
    const ids = [...new Set(known.values())];
    const changed = await this.apply(segment, changesOf(ids), true);
    if (changed.length > 0 && (await this.members.markChanged(organizationId, id, changed))) {
      this.tenants.afterCommit(() => this.wakeUps.wake('segment', organizationId));
    }
    return {
      changed: changed.length,
      unknown: contactIds.filter((contactId) => !known.has(contactId)),
    };
  }

  private async emit(
    { organizationId, id, name: segmentName }: Segment,
    name: 'segment.entered' | 'segment.left',
    contactIds: readonly string[],
  ): Promise<void> {
    if (contactIds.length === 0 || !(await this.events.isAwaited(organizationId, name))) return;
    for (const contact of await this.matches.findAll(organizationId, contactIds)) {
      await this.events.emit(organizationId, {
        name,
        contactId: contact.id,
        segmentId: id,
        payload: {
          event: name,
          segment: { id, name: segmentName },
          contact: ContactView.of(contact),
        },
      });
    }
  }
}
