import { Injectable } from '@nestjs/common';
import { QueueWorker } from '../queue/queue-worker.js';
import type { Claim } from '../queue/leased-work.js';
import { MessageDeliveryService } from './message-delivery.service.js';

/** Claims due messages and delivers them. */
@Injectable()
export class MessageWorker extends QueueWorker {
  readonly kind = 'message';
  // The provider or webhook of an organization may be slow. Each message that waits for a slow provider or webhook
  // occupies a slot. Without this limit, the messages of one organization could occupy all slots.
  protected override readonly isShared = true;
  protected readonly graceMs = 15_000;

  constructor(private readonly delivery: MessageDeliveryService) {
    super();
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    return this.delivery.deliver(claim, signal);
  }
}
