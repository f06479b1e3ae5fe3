import { Injectable } from '@nestjs/common';
import { ContactsService } from '../contacts/contacts.service.js';
import type { Contact } from '../contacts/contact.entity.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { RateLimiter, TokenBuckets } from '../http/rate-limiter.js';
import { SecurityLog } from '../security/security-log.js';
import { type LinkKind, type LinkTarget, PermissionLinks } from '../topics/permission-links.js';
import type { Evidence } from '../topics/topic-subscription.entity.js';
import type { StoredSubscription } from '../topics/decision.js';
import { TopicSubscriptionsService } from '../topics/topic-subscriptions.service.js';
import { SubscriptionRequestsService } from './subscription-requests.service.js';

/**
 * The largest number of requests for one contact in a burst. Requests of mail programs, of scanners and of the person
 * all count.
 */
const BURST = 30;
const PER_SECOND = 0.5;
const TOO_MANY = 'Too many requests for this contact. Try again in a minute.';

/** The codes of errors that refuse one topic only. The other topics are still stored. */
const REFUSALS: readonly AppError['code'][] = [
  'no_consent',
  'invalid_arguments',
  'conflict',
  'rate_limited',
  'not_found',
];

/** The data of a page: the contact, and its state for each topic. */
export interface LinkView {
  target: LinkTarget;
  contact: Contact;
  subscriptions: StoredSubscription[];
}

/**
 * Carries out the decisions that contacts make with links in messages, without a session. Malformed and forged links,
 * and links of deleted contacts, throw the same `not_found`.
 */
@Injectable()
export class PermissionPagesService {
  private readonly buckets = new TokenBuckets(BURST, PER_SECOND);

  constructor(
    private readonly links: PermissionLinks,
    private readonly tenants: TenantDatabase,
    private readonly contacts: ContactsService,
    private readonly subscriptions: TopicSubscriptionsService,
    private readonly requests: SubscriptionRequestsService,
    private readonly limiter: RateLimiter,
    private readonly security: SecurityLog,
  ) {}

  /** Checks the link of a request before the body of the request is read. Throws `not_found` and `rate_limited`. */
  open(kind: LinkKind, token: string, address: string): LinkTarget {
    const target = this.links.read(kind, token);
    if (!target) {
      this.security.report('invalid_permission_link', { address });
      throw new AppError('not_found', 'This link is not valid.');
    }
    const { organizationId, contactId } = target;
    this.buckets.consume(`${organizationId} ${contactId}`, 1, TOO_MANY);
    // Agents of the organization may use up its limit. Mail programs may not repeat a refused request to unsubscribe.
    this.limiter.consumeOfPart(organizationId, 'permission links');
    return target;
  }

  /** Returns the data of the page. Changes nothing. */
  async view(target: LinkTarget): Promise<LinkView> {
    return await this.tenants.transaction(target.organizationId, () => this.find(target), {
      readOnly: true,
    });
  }

  /**
   * Lets the contact leave the topic of the link, even when the topic was deleted. The contact that now has the address
   * of the message leaves the topic too.
   */
  async unsubscribe(target: LinkTarget, source: string, evidence: Evidence): Promise<LinkView> {
    const { organizationId, topic } = target;
    return await this.tenants.transaction(organizationId, async () => {
      for (const contactId of await this.requests.findLeavers(target)) {
        await this.subscriptions.decide(organizationId, {
          contactId,
          topic,
          state: 'unsubscribed',
          source,
          evidence,
          confirmation: null,
        });
      }
      return await this.find(target);
    });
  }

  /** Confirms the subscription for which the message with the link was sent. */
  async confirm(target: LinkTarget, evidence: Evidence): Promise<LinkView> {
    return await this.tenants.transaction(target.organizationId, async () => {
      await this.subscriptions.confirm(target.organizationId, target, evidence);
      return await this.find(target);
    });
  }

  /**
   * Stores which of the shown topics the person has chosen. A choice that equals the stored choice changes nothing.
   * First commits the decisions to leave topics, so that an error with another topic cannot undo them. The contact that
   * now has the address of the message leaves these topics too, but is subscribed to none. The result lists the titles
   * of the topics to which the person could not be subscribed.
   */
  async choose(
    target: LinkTarget,
    { shown, chosen }: { shown: ReadonlySet<string>; chosen: ReadonlySet<string> },
    evidence: Evidence,
  ): Promise<{ view: LinkView; refused: string[] }> {
    const { organizationId } = target;
    const decide = async (
      contactId: string,
      topic: string,
      isSubscribed: boolean,
    ): Promise<void> => {
      await this.requests.set(organizationId, {
        contactId,
        topic,
        isSubscribed,
        source: 'preferences',
        evidence,
        // Without this option, whoever has the link could send the contact any number of e-mails.
        reusesConfirmation: true,
      });
    };
    const wanted = await this.tenants.transaction(organizationId, async () => {
      await this.subscriptions.lock(organizationId, target.contactId);
      for (const contactId of await this.requests.findLeavers(target)) {
        for (const { topic, state } of await this.subscriptions.list(organizationId, contactId)) {
          const isLeft = shown.has(topic) && !chosen.has(topic);
          if (isLeft && state !== 'unsubscribed') await decide(contactId, topic, false);
        }
      }
      const { contact, subscriptions } = await this.find(target);
      return subscriptions.filter(
        (one) => shown.has(one.topic) && chosen.has(one.topic) && isWanted(one, contact),
      );
    });
    const refused: string[] = [];
    for (const { topic, title } of wanted) {
      try {
        await this.tenants.transaction(organizationId, async () => {
          // Without this lock, simultaneous requests would all find that no e-mail was sent yet, and each of them would
          // send one.
          await this.subscriptions.lock(organizationId, target.contactId);
          await decide(target.contactId, topic, true);
        });
      } catch (error) {
        if (!(error instanceof AppError) || !REFUSALS.includes(error.code)) throw error;
        refused.push(title);
      }
    }
    return { view: await this.view(target), refused };
  }

  private async find(target: LinkTarget): Promise<LinkView> {
    const { organizationId, contactId } = target;
    const contact = await this.contacts.get(organizationId, contactId);
    const subscriptions = await this.subscriptions.list(organizationId, contact.id);
    return { target, contact, subscriptions };
  }
}

/**
 * Returns true when a selected topic must be stored, or when its confirmation must be asked for. A pending topic is
 * selected by default, so its confirmation is asked for only when an e-mail can be sent.
 */
function isWanted({ state, isUnasked }: StoredSubscription, { email, consent }: Contact): boolean {
  if (state !== 'pending') return state === 'unsubscribed';
  return isUnasked && email !== null && consent.email?.status !== 'denied';
}
