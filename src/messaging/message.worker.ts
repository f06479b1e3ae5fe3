import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { QueueWorker } from '../queue/queue-worker.js';
import type { Claim } from '../queue/leased-work.js';
import { EmailChannel } from './channels/email-channel.js';
import { MessageDeliveryService } from './message-delivery.service.js';

/** Claims due messages and delivers them. */
@Injectable()
export class MessageWorker extends QueueWorker implements OnApplicationShutdown {
  readonly kind = 'message';
  protected readonly graceMs = 15_000;

  constructor(
    private readonly delivery: MessageDeliveryService,
    private readonly email: EmailChannel,
  ) {
    super();
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    return this.delivery.deliver(claim, signal);
  }

  onApplicationShutdown(): void {
    this.email.close();
  }
}
