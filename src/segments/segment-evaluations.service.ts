import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { FilterNode } from '../contacts/filter-fields.js';
import { SegmentFiltersService } from '../contacts/segment-filters.service.js';
import { sqlState, STATEMENT_TIMEOUT } from '../database/database-error.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import type { Claim } from '../queue/leased-work.js';
import { type ContactPart, ContactMatchesRepository } from './contact-matches.repository.js';
import { SegmentMembersRepository } from './segment-members.repository.js';
import { SegmentMembersService } from './segment-members.service.js';
import { SegmentWorkRepository } from './segment-work.repository.js';
import type { Segment } from './segment.entity.js';

/**
 * The longest time of a turn of an organization. When an organization needs more time, the next turns belong to other
 * organizations.
 */
const TURN_MS = 5000;
/** The largest number of changed contacts that one transaction compares with every segment. */
const CHANGES_AT_ONCE = 200;
/**
 * The longest time of a transaction that compares several changed contacts. A longer transaction would delay the first
 * comparison of new segments of all organizations, because this comparison waits for all earlier transactions.
 */
const CHANGES_MS = 2000;
/** The time after which a transaction has compared too many contacts with one segment. */
const PART_MS = 2000;
/** After a longer turn, the organization pauses. A turn whose transactions are short enough ends earlier. */
const LONG_TURN_MS = TURN_MS + CHANGES_MS + PART_MS;
/** After a transaction that took too long, the next one compares this fraction of its contacts. */
const SMALLER = 8;
/** The largest number of organizations, and of segments, whose number of contacts is remembered. */
const MOST_SIZES = 1000;
/** The largest number of contacts that one transaction compares with one segment. */
const CONTACTS_AT_ONCE = 2000;
/** The number of contacts that the first transaction compares with a segment, until the cost of its filters is known. */
const FIRST_CONTACTS = 250;
/** The largest number of contacts that enter or leave a segment in one transaction. Each of them may start runs. */
const EVENTS_AT_ONCE = 200;
/** The shortest pause between two comparisons of all contacts with a segment whose `timed` is true. */
const PAUSE_MS = 60_000;
/**
 * The smallest length of the pause, as a multiple of the length of the comparison. So comparisons take at most 5 % of
 * one connection.
 */
const PAUSE_FACTOR = 20;
const PAUSE_AFTER_FAULT_MS = 3_600_000;

/** The error that rolls back a transaction whose contacts take too long. */
class TooSlow extends Error {}

/**
 * Compares contacts with dynamic segments. The stored members, the events about differences and the position commit
 * together. So each entry and each exit is one event, even when a worker crashes.
 */
@Injectable()
export class SegmentEvaluationsService {
  private readonly logger = new Logger(SegmentEvaluationsService.name);
  /** The number of changed contacts that the next transaction of an organization compares, if it is not the usual one. */
  private readonly sizes = new LRUCache<string, number>({ max: MOST_SIZES });
  /** The number of contacts that the next transaction compares with a segment, by the id of the segment. */
  private readonly partSizes = new LRUCache<string, number>({ max: MOST_SIZES });

  constructor(
    private readonly work: SegmentWorkRepository,
    private readonly stored: SegmentMembersRepository,
    private readonly members: SegmentMembersService,
    private readonly matches: ContactMatchesRepository,
    private readonly filters: SegmentFiltersService,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Returns when nothing is due, the turn or the claim has ended, or `signal` aborts. After a turn that failed because
   * the database was not available or a statement took too long, and after a long turn, the organization pauses for as
   * long as the turn took. So such an organization has a slot for at most half of the time.
   */
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const failure = await this.runTurn(claim, startedAt + TURN_MS, signal);
    const ms = performance.now() - startedAt;
    const pauseMs = failure || ms > LONG_TURN_MS ? ms : null;
    if (failure) {
      const seconds = Math.ceil(ms / 1000);
      this.logger.warn(
        `The comparison of contacts with the segments of organization ${claim.organizationId} failed, and continues after a pause of ${seconds} s: ${failure.message}`,
      );
    }
    await this.tenants.transaction(claim.organizationId, () => this.work.release(claim, pauseMs));
  }

  /** Compares contacts until nothing is due or the turn ends. Returns the error `unavailable`, and throws other errors. */
  private async runTurn(
    claim: Claim,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<AppError | undefined> {
    try {
      let hasMore = true;
      while (hasMore && !signal.aborted && performance.now() < endsAt) {
        const hasChanges = await this.runChanged(claim);
        const hasDue = await this.runPart(claim, () => this.compareNext(claim.organizationId));
        hasMore = hasChanges || hasDue;
      }
      return undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') return error;
      throw error;
    }
  }

  /**
   * Compares changed contacts. After a transaction that took too long, the next transaction of the organization compares
   * fewer contacts, also in a later turn. Throws when one contact takes too long.
   */
  private async runChanged(claim: Claim): Promise<boolean> {
    const { organizationId } = claim;
    const size = this.sizes.get(organizationId) ?? CHANGES_AT_ONCE;
    try {
      const hasChanges = await this.runPart(claim, () => this.compareChanged(organizationId, size));
      this.sizes.set(organizationId, Math.min(2 * size, CHANGES_AT_ONCE));
      return hasChanges;
    } catch (error) {
      if (size === 1 || !isTooSlow(error)) throw error;
      this.sizes.set(organizationId, Math.ceil(size / SMALLER));
      return true;
    }
  }

  /** Runs a part in its own transaction. Returns false when there was nothing to do or the claim is lost. */
  private async runPart(claim: Claim, part: () => Promise<boolean>): Promise<boolean> {
    return await this.tenants.transaction(claim.organizationId, async () => {
      return (await this.work.fence(claim)) && (await part());
    });
  }

  /**
   * Compares up to `size` changed contacts with every segment. Throws {@link TooSlow} when several contacts take too long
   * for one transaction. One contact is compared with every segment, however long this takes. Otherwise its events would
   * be lost.
   */
  private async compareChanged(organizationId: string, size: number): Promise<boolean> {
    const endsAt = performance.now() + CHANGES_MS;
    const { ids, silent } = await this.work.takeChanges(organizationId, size);
    if (ids.length === 0) return false;
    const segments = await this.work.lockDynamic(organizationId);
    await this.stored.keepContacts(organizationId, ids);
    const memberships = await this.stored.findSegmentsOf(organizationId, ids);
    for (const segment of segments) {
      // While a segment gets its baseline, contacts beyond its position are left out. The first comparison finds these
      // contacts later. They do not count as new members, because they may have matched before.
      const seen = segment.baseline ? ids.filter((id) => id <= segment.position) : ids;
      const nodes = seen.length > 0 && (await this.read(segment));
      if (!nodes) continue;
      const matching = new Set(await this.matches.list(organizationId, nodes, { ids: seen }));
      const before = memberships.get(segment.id) ?? new Set();
      const entered = seen.filter((id) => matching.has(id) && !before.has(id));
      const left = seen.filter((id) => !matching.has(id) && before.has(id));
      if (size > 1 && performance.now() > endsAt) throw new TooSlow();
      // A contact with a later change that is not silent may match because of this change. Its event must not be lost.
      const suspects = [...entered, ...left].filter((id) => silent.has(id));
      const pending = await this.work.findPending(organizationId, suspects);
      for (const isSilent of [false, true]) {
        const isMeant = (id: string): boolean =>
          (silent.has(id) && pending.get(id) !== false) === isSilent;
        const changes = { entered: entered.filter(isMeant), left: left.filter(isMeant) };
        await this.members.apply(segment, changes, !isSilent);
      }
    }
    return true;
  }

  /** Compares the next part of all contacts with a segment that is due for a comparison of all contacts. */
  private async compareNext(organizationId: string): Promise<boolean> {
    const segment = await this.work.lockDue(organizationId);
    if (!segment) return false;
    const startedAt = performance.now();
    const nodes = await this.read(segment);
    if (!nodes) {
      await this.work.finish(segment, PAUSE_AFTER_FAULT_MS);
      return true;
    }
    const { position, baseline, sweepMs } = segment;
    const size = this.partSizes.get(segment.id) ?? FIRST_CONTACTS;
    const end = await this.matches.endOfPart(organizationId, position, size);
    const ids = await this.listPart(segment, nodes, { after: position, upTo: end });
    const isSlow = !ids || performance.now() - startedAt > PART_MS;
    const nextSize = isSlow ? Math.ceil(size / SMALLER) : Math.min(2 * size, CONTACTS_AT_ONCE);
    this.partSizes.set(segment.id, nextSize);
    if (!ids) {
      if (size === 1) await this.postpone(segment);
      return true;
    }
    const matching = new Set(ids);
    const before = new Set(await this.stored.listRange(organizationId, segment.id, position, end));
    const changed = [...matching].filter((id) => !before.has(id));
    const lost = [...before].filter((id) => !matching.has(id));
    // `compareChanged` compares the contacts that are in the list of changed contacts, because only the list says whether
    // a change is silent.
    const pending = baseline
      ? new Map()
      : await this.work.findPending(organizationId, [...changed, ...lost]);
    const entered = changed.filter((id) => !pending.has(id));
    const left = lost.filter((id) => !pending.has(id));
    const last = baseline ? undefined : [...entered, ...left].toSorted()[EVENTS_AT_ONCE - 1];
    const isInPart = (id: string): boolean => last === undefined || id <= last;
    const changes = { entered: entered.filter(isInPart), left: left.filter(isInPart) };
    await this.stored.keepContacts(organizationId, [...changes.entered, ...changes.left]);
    await this.members.apply(segment, changes, !baseline);
    const ms = Math.ceil(performance.now() - startedAt);
    const done = last ?? end;
    if (done !== null) await this.work.advance(segment, done, ms);
    else {
      const pauseMs = Math.max(PAUSE_MS, (sweepMs + ms) * PAUSE_FACTOR);
      await this.work.finish(segment, segment.timed ? pauseMs : null);
    }
    return true;
  }

  /** Returns the ids of the contacts of a part that match. Returns undefined when the statement took too long. */
  private async listPart(
    { organizationId }: Segment,
    nodes: readonly FilterNode[],
    part: ContactPart,
  ): Promise<string[] | undefined> {
    try {
      // The savepoint keeps the lock of the segment, and what `lockDue` stored for other segments.
      return await this.tenants.savepoint(organizationId, () =>
        this.matches.list(organizationId, nodes, part),
      );
    } catch (error) {
      if (!isTooSlow(error)) throw error;
      return undefined;
    }
  }

  private async postpone(segment: Segment): Promise<void> {
    this.logger.warn(
      `The filters of segment ${segment.id} take too long for one contact. The comparison of all contacts with this segment continues in an hour.`,
    );
    await this.work.postpone(segment, PAUSE_AFTER_FAULT_MS);
  }

  /** Returns the conditions of the segment. Returns undefined for conditions that a later version no longer accepts. */
  private async read({ organizationId, id, filters }: Segment): Promise<FilterNode[] | undefined> {
    try {
      return await this.filters.read(organizationId, filters!, { within: [id] });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.logger.warn(
        `The filters of segment ${id} cannot be used. Until they are edited, no contact enters it: ${error.message}`,
      );
      return undefined;
    }
  }
}

/** Returns true for an error that fewer contacts in one transaction can avoid. */
function isTooSlow(error: unknown): boolean {
  const isTimeout = error instanceof AppError && sqlState(error.cause) === STATEMENT_TIMEOUT;
  return isTimeout || error instanceof TooSlow;
}
