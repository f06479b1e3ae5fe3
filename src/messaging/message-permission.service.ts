import { Injectable } from '@nestjs/common';
import { HandoversService } from '../channels/handovers.service.js';
import type { Contact } from '../contacts/contact.entity.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { PermissionLinks } from '../topics/permission-links.js';
import {
  type TopicObstacle,
  TopicSubscriptionsService,
} from '../topics/topic-subscriptions.service.js';
import { isDenied, spoken } from './message-channels.js';
import type { Message } from './message.entity.js';
import type { Outcome } from './message-outcome.js';
import { MessagesRepository } from './messages.repository.js';
import type { SuppressionReason } from './suppressed-address.entity.js';

const SUPPRESSED: Record<SuppressionReason, string> = {
  bounce: 'The address is suppressed: a message to it bounced.',
  complaint: 'The address is suppressed: its owner complained about a message.',
  manual: 'The address is suppressed: a person or a workflow said so.',
};
const NOT_SUBSCRIBED: Record<TopicObstacle, (topic: string) => string> = {
  unsubscribed: (topic) => `The contact does not get the topic ${topic}.`,
  pending: (topic) => `The contact has not confirmed its subscription to the topic ${topic}.`,
  deleted: (topic) => `The topic ${topic} was deleted.`,
};

const DELETED: Outcome = {
  status: 'canceled',
  reason: 'The contact was deleted.',
  code: 'contact_deleted',
};

/** Is what the rules need to know of a message, which may not exist yet. */
export type PermittedMessage = Pick<
  Message,
  'organizationId' | 'contactId' | 'channel' | 'recipient' | 'topic'
>;

/** Says what one rule does with a message. `outcome` is undefined when the rule lets it be sent. */
export interface PermissionVerdict {
  readonly rule: 'suppression' | 'contact' | 'consent' | 'topic';
  readonly outcome: Outcome | undefined;
}

/** Decides whether an accepted message may still be sent. It must be called in the transaction that begins the attempt. */
@Injectable()
export class MessagePermissionService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contacts: ContactsService,
    private readonly subscriptions: TopicSubscriptionsService,
    private readonly handovers: HandoversService,
    private readonly links: PermissionLinks,
  ) {}

  /** Returns the final outcome of a locked message that must not be sent, or undefined. */
  async findObstacle(message: Message): Promise<Outcome | undefined> {
    const verdicts = await this.check(message);
    return verdicts.find(({ outcome }) => outcome)?.outcome;
  }

  /** Returns what each rule says that keeps a message from being sent at all. The first outcome is the one that counts. */
  async check(message: PermittedMessage): Promise<PermissionVerdict[]> {
    const { organizationId, contactId, topic } = message;
    // The statements are sent at once. What is stored later stops later attempts.
    const [suppression, contact, obstacle] = await Promise.all([
      this.messages.findSuppression(message),
      contactId === null ? null : this.contacts.find(organizationId, contactId),
      topic === null
        ? undefined
        : this.subscriptions.findObstacle(organizationId, contactId, topic),
    ]);
    const verdicts: PermissionVerdict[] = [
      {
        rule: 'suppression',
        outcome: suppression && {
          status: 'suppressed',
          reason: SUPPRESSED[suppression],
          code: 'suppressed',
        },
      },
      { rule: 'contact', outcome: contact ? undefined : DELETED },
      { rule: 'consent', outcome: contact ? this.denialOf(contact, message.channel) : undefined },
    ];
    if (topic === null) return verdicts;
    const reason = obstacle && NOT_SUBSCRIBED[obstacle](topic);
    const outcome = reason && {
      status: 'suppressed' as const,
      reason,
      code: 'unsubscribed' as const,
    };
    return [...verdicts, { rule: 'topic', outcome: outcome || undefined }];
  }

  /** Returns the link by which the contact leaves the topic of the message, or null when there is nothing to leave. */
  unsubscribeUrlOf({ organizationId, contactId, id, topic }: Message): string | null {
    if (topic === null || contactId === null) return null;
    const target = { organizationId, contactId, messageId: id, topic };
    return this.links.urlOf('unsubscribe', target);
  }

  private denialOf({ consent }: Contact, channel: string): Outcome | undefined {
    if (!isDenied(consent, channel)) return undefined;
    const title = spoken({ title: this.handovers.titleOf(channel) });
    const reason = `The contact has since denied consent to ${title}.`;
    return { status: 'canceled', reason, code: 'consent_denied' };
  }
}
