import { Injectable } from '@nestjs/common';
import { ContactsService } from '../contacts/contacts.service.js';
import { MessagesService } from '../messaging/messages.service.js';
import { newId } from '../text/ids.js';
import { type LinkTarget, PermissionLinks } from '../topics/permission-links.js';
import type { Evidence, SubscriptionState } from '../topics/topic-subscription.entity.js';
import { TopicSubscriptionsService } from '../topics/topic-subscriptions.service.js';
import { TopicsService } from '../topics/topics.service.js';
import { languageOfLocale } from '../http/page-language.js';
import { PAGE_TEXTS } from './page-texts.js';

export interface SubscriptionRequest {
  contactId: string;
  topic: string;
  isSubscribed: boolean;
  source: string;
  evidence: Evidence | null;
  runId?: string | undefined;
  /**
   * True to send no new e-mail when an e-mail of the last day asked for this confirmation. Then the link in that e-mail
   * confirms the subscription.
   */
  reusesConfirmation?: true;
}

/** Subscribes contacts to topics, and asks for a confirmation where the topic needs one. */
@Injectable()
export class SubscriptionRequestsService {
  constructor(
    private readonly topics: TopicsService,
    private readonly subscriptions: TopicSubscriptionsService,
    private readonly contacts: ContactsService,
    private readonly messages: MessagesService,
    private readonly links: PermissionLinks,
  ) {}

  /**
   * Stores the decision and returns the state. A subscription to a topic with double opt-in is `pending` until somebody
   * confirms it. For this, the contact gets one e-mail with a link to a page. The caller must have opened a transaction
   * of the organization. Throws `not_found`, and the errors of send_message when the e-mail cannot be sent.
   */
  async set(
    organizationId: string,
    {
      contactId: given,
      topic: name,
      isSubscribed,
      source,
      evidence,
      runId,
      reusesConfirmation,
    }: SubscriptionRequest,
  ): Promise<{ state: SubscriptionState; changed: boolean }> {
    const contactId = await this.contacts.keep(organizationId, given);
    const topic = await this.topics.get(organizationId, name);
    const decision = { contactId, topic: name, source, evidence };
    if (!isSubscribed || !topic.doubleOptIn) {
      const state = isSubscribed ? 'subscribed' : 'unsubscribed';
      const stored = { ...decision, state, confirmation: null } as const;
      return { state, changed: await this.subscriptions.decide(organizationId, stored) };
    }
    const obstacle = await this.subscriptions.findObstacle(organizationId, contactId, name);
    if (obstacle === undefined) return { state: 'subscribed', changed: false };
    const earlier = reusesConfirmation
      ? await this.subscriptions.findRecentConfirmation(organizationId, contactId, name)
      : undefined;
    const id = earlier ?? newId('msg');
    const contact = await this.contacts.get(organizationId, contactId);
    const confirmation = { id, address: contact.email };
    const pending = { ...decision, state: 'pending', confirmation } as const;
    const changed = await this.subscriptions.decide(organizationId, pending);
    // If there are two simultaneous calls, only one of them changes the state. Only this call sends the e-mail.
    if (changed && earlier === undefined) {
      const texts = PAGE_TEXTS[languageOfLocale(contact.locale) ?? 'en'];
      const target = { organizationId, contactId, messageId: id, topic: name };
      await this.messages.send(organizationId, {
        id,
        to: { contact_id: contactId },
        channel: 'email',
        subject: texts.mailSubject(topic.title),
        body: texts.mailText(topic.title, this.links.urlOf('confirm', target)),
        runId,
      });
    }
    return { state: 'pending', changed };
  }

  /**
   * Returns the ids of the contacts that leave a topic by a link: the contact of the link, and the contact that now has
   * the address of the message with the link. Such an address has moved to another contact, for example when a merge was
   * undone, and its reader would get more messages of the topic. The caller must have opened a transaction of the
   * organization. Throws `not_found`.
   */
  async findLeavers({ organizationId, contactId, messageId }: LinkTarget): Promise<string[]> {
    const ofLink = await this.contacts.keep(organizationId, contactId);
    const holder = await this.messages.findHolder(organizationId, messageId);
    // In another order, two links to the same two contacts could wait for each other.
    return [...new Set([ofLink, holder ?? ofLink])].sort();
  }
}
