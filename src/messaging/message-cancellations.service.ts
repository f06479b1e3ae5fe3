import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { PaceService } from '../pacing/pace.service.js';
import type { Message } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';

/** Cancels messages. The caller must have opened a transaction of the organization. */
@Injectable()
export class MessageCancellationsService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly pace: PaceService,
    private readonly changes: ChangeFeed,
  ) {}

  /** Cancels a message before it is sent. Throws `not_found`, and `conflict` when sending has begun or ended. */
  async cancel(organizationId: string, id: string, by: string): Promise<Message> {
    const found = await this.messages.findForUpdate(organizationId, id);
    const message = assertFound(found, 'message');
    if (message.status === 'canceled') return message;
    if (!['scheduled', 'queued', 'held'].includes(message.status)) {
      throw new AppError(
        'conflict',
        `This message is ${message.status}. Only scheduled, queued and held messages can be canceled.`,
      );
    }
    this.changes.publish(organizationId, resourceChange('messages', id));
    const canceled = await this.messages.settle(organizationId, id, {
      status: 'canceled',
      reason: `Canceled by ${by}.`,
      code: 'canceled',
    });
    if (message.heldBy !== null && message.contactId !== null) {
      await this.pace.recheckCapped(organizationId, message.contactId);
    }
    return canceled;
  }
}
