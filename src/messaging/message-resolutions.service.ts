import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { WakeUps } from '../queue/wake-ups.js';
import { visibleLine } from '../text/visible-line.js';
import { messageEvent } from './message-events.js';
import type { Message } from './message.entity.js';
import type { ResolveMessageInput } from './message.inputs.js';
import { MessagesRepository } from './messages.repository.js';

const LONGEST_REASON = 500;
/**
 * The largest number of earlier attempts that count when a person sends a message again. A message has six attempts, so
 * at least one attempt is left.
 */
const MOST_USED_ATTEMPTS = 5;

/** Decides about messages whose outcome is unknown. The caller must have opened a transaction of the organization. */
@Injectable()
export class MessageResolutionsService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Records what happened to an uncertain message, or sends it again. A repeated call changes nothing. Throws `not_found`,
   * and `conflict` for a message that is not uncertain.
   */
  async resolve(
    organizationId: string,
    { message_id: id, outcome, reason }: ResolveMessageInput,
    by: string,
  ): Promise<Message> {
    const found = await this.messages.findForUpdate(organizationId, id);
    const message = assertFound(found, 'message');
    if (message.status !== 'uncertain') {
      if (message.status === outcome && message.reasonCode === 'resolved') return message;
      throw new AppError(
        'conflict',
        `This message is ${message.status}. Only uncertain messages can be resolved.`,
      );
    }
    this.changes.publish(organizationId, resourceChange('messages', id));
    if (outcome === 'resend') {
      await this.messages.requeue(organizationId, id, MOST_USED_ATTEMPTS);
      this.tenants.afterCommit(() => this.wakeUps.wake('message', id, undefined, organizationId));
      return (await this.messages.find(organizationId, id))!;
    }
    const said = visibleLine(reason ?? '', LONGEST_REASON);
    const resolved = await this.messages.settle(organizationId, id, {
      status: outcome,
      reason: `Resolved by ${by}${said === '' ? '.' : `: ${said}`}`,
      code: 'resolved',
    });
    if (outcome === 'delivered') {
      await this.events.emit(organizationId, messageEvent('message.sent', resolved));
    }
    await this.events.emit(organizationId, messageEvent(`message.${outcome}`, resolved));
    return resolved;
  }
}
