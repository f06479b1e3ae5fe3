import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { AppError } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import type { ConsentChange } from './consent-change.entity.js';
import type { Decision, StoredSubscription } from './decision.js';
import { TopicSubscriptionsRepository } from './topic-subscriptions.repository.js';
import type { Evidence } from './topic-subscription.entity.js';

const LONGEST_EVIDENCE = 1000;
/**
 * After an e-mail that asks a contact to confirm a topic, the page of preferences sends no second e-mail for this topic
 * within this number of hours.
 */
const CONFIRMATION_HOURS = 24;

/** The reason why a message of a topic must not be sent to a contact. */
export type TopicObstacle = 'unsubscribed' | 'pending' | 'deleted';

/**
 * Manages the decisions of contacts about topics. The caller of each method must have opened a transaction of the
 * organization. The id of a merged contact means the survivor.
 */
@Injectable()
export class TopicSubscriptionsService {
  constructor(
    private readonly subscriptions: TopicSubscriptionsRepository,
    private readonly contacts: ContactsService,
    private readonly changes: ChangeFeed,
  ) {}

  /** Stores the decision. Returns false when the contact had already made this decision. Throws `not_found`. */
  async decide(organizationId: string, decision: Decision): Promise<boolean> {
    const contactId = await this.contacts.keep(organizationId, decision.contactId);
    const evidence = decision.evidence && cut(decision.evidence);
    const changed = await this.subscriptions.decide(organizationId, {
      ...decision,
      contactId,
      evidence,
    });
    if (changed) this.publish(organizationId, contactId);
    return changed;
  }

  /** Other calls of this method for the same contact wait until the transaction ends. Throws `not_found`. */
  async lock(organizationId: string, given: string): Promise<void> {
    const contactId = await this.contacts.keep(organizationId, given);
    await this.subscriptions.lock(organizationId, contactId);
  }

  /** Confirms a pending subscription. Throws `not_found` when this message does not confirm it, or no longer does. */
  async confirm(
    organizationId: string,
    given: { contactId: string; topic: string; messageId: string },
    evidence: Evidence,
  ): Promise<void> {
    const contactId = await this.contacts.keep(organizationId, given.contactId);
    const { topic, messageId } = given;
    const ids = [organizationId, contactId, topic, messageId] as const;
    if (!(await this.subscriptions.confirm(...ids, cut(evidence)))) {
      throw new AppError('not_found', 'This link no longer confirms a subscription.');
    }
    this.publish(organizationId, contactId);
  }

  /** Returns the message of the last day that asked the contact to confirm the topic, or undefined. */
  async findRecentConfirmation(
    organizationId: string,
    contactId: string,
    topic: string,
  ): Promise<string | undefined> {
    const ids = [organizationId, contactId, topic] as const;
    return await this.subscriptions.findRecentConfirmation(...ids, CONFIRMATION_HOURS);
  }

  /** Returns the state of each topic for a contact, in the order of the names of topics. Throws `not_found`. */
  async list(organizationId: string, contactId: string): Promise<StoredSubscription[]> {
    const { id } = await this.contacts.get(organizationId, contactId);
    return await this.subscriptions.list(organizationId, id);
  }

  /**
   * Returns one page of the changes of a contact, newest first, and the cursor of the next page. Throws `not_found`.
   */
  async listChanges(
    organizationId: string,
    contactId: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ changes: ConsentChange[]; nextCursor: string | null }> {
    const { id } = await this.contacts.get(organizationId, contactId);
    const position = readTimeCursor(page.cursor);
    if (position && !/^\d{1,18}$/.test(position.id)) {
      throw AppError.invalidField('cursor', 'was not returned by this tool');
    }
    const rows = await this.subscriptions.listChanges(organizationId, id, position, page.limit + 1);
    const { page: changes, nextCursor } = pageOf(rows, page.limit, (last) =>
      timeCursor({ createdAt: last.at, id: last.id }),
    );
    return { changes, nextCursor };
  }

  /** Returns why a message of the topic must not be sent to the contact now, or undefined. */
  async findObstacle(
    organizationId: string,
    contactId: string | null,
    topic: string,
  ): Promise<TopicObstacle | undefined> {
    const { exists, state } = await this.subscriptions.findState(organizationId, contactId, topic);
    if (!exists) return 'deleted';
    return state === 'subscribed' ? undefined : state;
  }

  private publish(organizationId: string, contactId: string): void {
    this.changes.publish(organizationId, resourceChange('contacts', contactId));
  }
}

/**
 * Limits the length of texts of an untrusted browser or message, and removes characters that PostgreSQL cannot store.
 */
function cut(evidence: Evidence): Evidence {
  const texts = Object.entries(evidence).filter(([, text]) => text !== undefined);
  return Object.fromEntries(
    texts.map(([name, text]) => [
      name,
      String(text)
        .replace(/\p{Cc}+/gu, ' ')
        .slice(0, LONGEST_EVIDENCE)
        .toWellFormed(),
    ]),
  );
}
