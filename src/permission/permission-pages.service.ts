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

/** The largest number of requests for one contact at once. Mail programs, scanners and the person share it. */
const BURST = 30;
const PER_SECOND = 0.5;
const TOO_MANY = 'Too many requests for this contact. Try again in a minute.';

/** The data of a page: the contact, and its state for each topic. */
export interface LinkView {
  target: LinkTarget;
  contact: Contact;
  subscriptions: StoredSubscription[];
}

/**
 * Carries out what the links in messages allow, without a session. Malformed and forged links, and links of deleted
 * contacts, throw the same `not_found`.
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

  /** Checks the link before its request is read. Throws `not_found` and `rate_limited`. */
  open(kind: LinkKind, token: string, address: string): LinkTarget {
    const target = this.links.read(kind, token);
    if (!target) {
      this.security.report('invalid_permission_link', { address });
      throw new AppError('not_found', 'This link is not valid.');
    }
    const { organizationId, contactId } = target;
    this.buckets.consume(`${organizationId} ${contactId}`, 1, TOO_MANY);
    this.limiter.consume(organizationId, 1);
    return target;
  }

  /** Returns what the page shows. It changes nothing. */
  async view(target: LinkTarget): Promise<LinkView> {
    return await this.tenants.transaction(target.organizationId, () => this.find(target), {
      readOnly: true,
    });
  }

  /** Lets the contact leave the topic of the link, even when the topic was deleted. */
  async unsubscribe(target: LinkTarget, source: string, evidence: Evidence): Promise<LinkView> {
    const { organizationId, contactId, topic } = target;
    return await this.tenants.transaction(organizationId, async () => {
      await this.subscriptions.decide(organizationId, {
        contactId,
        topic,
        state: 'unsubscribed',
        source,
        evidence,
        confirmation: null,
      });
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

  /** Stores which of the shown topics the person has chosen. A choice that equals the stored one changes nothing. */
  async choose(
    target: LinkTarget,
    { shown, chosen }: { shown: ReadonlySet<string>; chosen: ReadonlySet<string> },
    evidence: Evidence,
  ): Promise<LinkView> {
    const { organizationId } = target;
    return await this.tenants.transaction(organizationId, async () => {
      // Without this lock, simultaneous requests would each find no earlier confirmation, and each would send an e-mail.
      await this.subscriptions.lock(organizationId, target.contactId);
      const { contact, subscriptions } = await this.find(target);
      for (const { topic, state, isUnasked } of subscriptions) {
        const isSubscribed = chosen.has(topic);
        const mustAsk = isSubscribed && state === 'pending' && isUnasked;
        const isSame = isSubscribed === (state !== 'unsubscribed') && !mustAsk;
        if (!shown.has(topic) || isSame) continue;
        await this.requests.set(organizationId, {
          contactId: contact.id,
          topic,
          isSubscribed,
          source: 'preferences',
          evidence,
          // Whoever has the link could otherwise send the contact any number of e-mails.
          reusesConfirmation: true,
        });
      }
      return await this.find(target);
    });
  }

  private async find(target: LinkTarget): Promise<LinkView> {
    const { organizationId, contactId } = target;
    const contact = await this.contacts.get(organizationId, contactId);
    const subscriptions = await this.subscriptions.list(organizationId, contact.id);
    return { target, contact, subscriptions };
  }
}
