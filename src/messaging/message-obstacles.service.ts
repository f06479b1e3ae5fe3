import { Injectable } from '@nestjs/common';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import { PaceService } from '../pacing/pace.service.js';
import { MessagePermissionService } from './message-permission.service.js';
import type { Message } from './message.entity.js';
import type { Outcome } from './message-outcome.js';

export const MOST_ATTEMPTS = 6;

/** Finds what keeps an accepted message from being sent. Each method needs a transaction of the organization. */
@Injectable()
export class MessageObstaclesService {
  constructor(
    private readonly permission: MessagePermissionService,
    private readonly pace: PaceService,
  ) {}

  /**
   * Returns the final outcome of a message that must no longer be sent, or the status held of one that must wait. Returns
   * undefined when an attempt may begin; the message then counts for the caps. The caller has locked the message. Only
   * with `isPaced`, the organization has rules about when messages are sent.
   */
  async find(
    message: Message,
    policy: UncertainPolicy,
    isPaced: boolean,
  ): Promise<Outcome | undefined> {
    // A worker ended between the handover and its record. Another attempt could send the message twice.
    if (message.status === 'sending' && policy === 'hold') {
      return {
        status: 'uncertain',
        reason: `Attempt ${message.attempts} ended without a result: the message may have been sent.`,
        code: 'no_outcome',
      };
    }
    if (message.attempts >= MOST_ATTEMPTS) {
      return {
        status: 'failed',
        reason: `Stopped after ${message.attempts} attempts without a result.`,
        code: 'attempts_exhausted',
      };
    }
    const ban = await this.permission.findObstacle(message);
    return ban ?? (isPaced ? await this.findPause(message) : undefined);
  }

  /** Ends the claim of a message that must wait. Workers may claim it again at the time until which it is held. */
  hold(message: Message, { reason, code, until, heldBy }: Outcome): Promise<void> {
    const pause = { code: code!, reason: reason!, until: until!, cap: heldBy ?? null };
    return this.pace.hold(message, pause);
  }

  private async findPause({
    organizationId,
    id,
    contactId,
    channel,
    topic,
  }: Message): Promise<Outcome | undefined> {
    // find() has canceled a message without a contact.
    const paced = { id, contactId: contactId!, channel, topic };
    const pause = await this.pace.decide(organizationId, paced);
    if (!pause) return undefined;
    const { code, reason, until, cap } = pause;
    return until
      ? { status: 'held', reason, code, until, heldBy: cap }
      : { status: 'suppressed', reason, code };
  }
}
