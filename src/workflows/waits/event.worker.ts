import { Injectable } from '@nestjs/common';
import { QueueWorker } from '../../queue/queue-worker.js';
import type { Claim } from '../../queue/leased-work.js';
import { EventDeliveriesService } from './event-deliveries.service.js';

/** Claims stored events of all organizations and delivers them to the runs that wait for them. */
@Injectable()
export class EventWorker extends QueueWorker {
  readonly kind = 'event';
  // The conditions of an organization may be slow. Without this limit, its events could occupy all slots.
  protected override readonly isShared = true;
  protected readonly graceMs = 5000;

  constructor(private readonly deliveries: EventDeliveriesService) {
    super();
  }

  async work(claim: Claim, signal: AbortSignal): Promise<void> {
    const isDone = await this.deliveries.deliver(claim, signal);
    if (!isDone) this.poll();
  }
}
