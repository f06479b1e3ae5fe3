import { Injectable } from '@nestjs/common';
import { QueueWorker } from '../queue/queue-worker.js';
import type { Claim } from '../queue/leased-work.js';
import { MessageDeliveryService } from './message-delivery.service.js';

/** Claims due messages and delivers them. */
@Injectable()
export class MessageWorker extends QueueWorker {
  readonly kind = 'message';
  // A provider or webhook of one organization may be slow, and each of its messages occupies a slot meanwhile.
  protected override readonly isShared = true;
  protected readonly graceMs = 15_000;

  constructor(private readonly delivery: MessageDeliveryService) {
    super();
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    return this.delivery.deliver(claim, signal);
  }
}
