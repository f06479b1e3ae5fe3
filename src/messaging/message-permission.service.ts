import { Injectable } from '@nestjs/common';
import { HandoversService } from '../channels/handovers.service.js';
import { PermissionLinks } from '../topics/permission-links.js';
import type { TopicObstacle } from '../topics/topic-subscriptions.service.js';
import type { Claim } from '../queue/leased-work.js';
import {
  type LockedMessages,
  MessageAttemptsRepository,
  type MessageOfClaim,
  type PermittedMessage,
  type StoredPermission,
} from './message-attempts.repository.js';
import { isDenied, spoken } from './message-channels.js';
import type { Message } from './message.entity.js';
import type { Outcome } from './message-outcome.js';
import type { SuppressionReason } from './suppressed-address.entity.js';

const SUPPRESSED: Record<SuppressionReason, string> = {
  bounce: 'The address is suppressed: a message to it bounced.',
  complaint: 'The address is suppressed: its owner complained about a message.',
  manual: 'The address is suppressed: a person or a workflow suppressed it.',
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

/** The result of one rule for a message. `outcome` is undefined when the rule allows the message. */
export interface PermissionVerdict {
  readonly rule: 'suppression' | 'contact' | 'consent' | 'topic';
  readonly outcome: Outcome | undefined;
}

/** The decision whether a message may be sent. */
export interface Permission {
  /** The final outcome of a message that must not be sent. */
  readonly ban: Outcome | undefined;
  /** True when the organization has rules about when messages are sent. */
  readonly isPaced: boolean;
}

/**
 * Decides whether accepted messages may still be sent. It must be called in the transaction that begins the attempts.
 */
@Injectable()
export class MessagePermissionService {
  constructor(
    private readonly attempts: MessageAttemptsRepository,
    private readonly handovers: HandoversService,
    private readonly links: PermissionLinks,
  ) {}

  /**
   * Locks the messages whose claims are still valid, until the transaction ends. Returns for each message whether it
   * may be sent. The decision reads the data after the messages are locked.
   */
  async lock(
    organizationId: string,
    claims: readonly Claim[],
    locked: LockedMessages,
  ): Promise<{ message: MessageOfClaim; permission: Permission }[]> {
    // Statements that are sent together take one round trip.
    const [messages, stored] = await Promise.all([
      this.attempts.lock(organizationId, claims, locked),
      this.attempts.findPermissionsOfClaimed(organizationId, claims),
    ]);
    return messages.map((message) => {
      const found = stored.get(message.id)!;
      const ban = this.verdictsOf(message, found).find(({ outcome }) => outcome)?.outcome;
      return { message, permission: { ban, isPaced: found.isPaced } };
    });
  }

  /**
   * Returns, for each message, the result of each rule that can refuse the message. The first outcome in the list
   * decides. Rules that are stored later apply to later attempts.
   */
  async check(
    organizationId: string,
    messages: readonly PermittedMessage[],
  ): Promise<PermissionVerdict[][]> {
    const stored = await this.attempts.findPermissions(organizationId, messages);
    return messages.map((message, index) => this.verdictsOf(message, stored[index]!));
  }

  /**
   * Returns the link by which the contact leaves the topic of the message, or null when the message has no topic or no
   * contact.
   */
  unsubscribeUrlOf({ organizationId, contactId, id, topic }: Message): string | null {
    if (topic === null || contactId === null) return null;
    const target = { organizationId, contactId, messageId: id, topic };
    return this.links.urlOf('unsubscribe', target);
  }

  private verdictsOf(
    { channel, topic }: PermittedMessage,
    { suppression, consent, consentOfHolder, isLeftByHolder, subscription }: StoredPermission,
  ): PermissionVerdict[] {
    const suppressed = suppression && suppressedBy(SUPPRESSED[suppression], 'suppressed');
    const isDeniedByOne = [consent, consentOfHolder].some((one) => one && isDenied(one, channel));
    const denied = isDeniedByOne ? this.denialOf(channel) : undefined;
    const verdicts: PermissionVerdict[] = [
      { rule: 'suppression', outcome: suppressed ?? undefined },
      { rule: 'contact', outcome: consent ? undefined : DELETED },
      { rule: 'consent', outcome: denied },
    ];
    if (topic === null) return verdicts;
    const own = subscription ?? 'deleted';
    const obstacle = own === 'subscribed' && isLeftByHolder ? 'unsubscribed' : own;
    const outcome =
      obstacle === 'subscribed'
        ? undefined
        : suppressedBy(NOT_SUBSCRIBED[obstacle](topic), 'unsubscribed');
    return [...verdicts, { rule: 'topic', outcome }];
  }

  private denialOf(channel: string): Outcome {
    const title = spoken({ title: this.handovers.titleOf(channel) });
    const reason = `The contact has denied consent to ${title}.`;
    return { status: 'canceled', reason, code: 'consent_denied' };
  }
}

function suppressedBy(reason: string, code: 'suppressed' | 'unsubscribed'): Outcome {
  return { status: 'suppressed', reason, code };
}
