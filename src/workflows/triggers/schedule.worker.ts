import { Injectable } from '@nestjs/common';
import { QueueWorker } from '../../queue/queue-worker.js';
import type { Claim } from '../../queue/leased-work.js';
import { SchedulesService } from './schedules.service.js';

/** Claims due ticks of all organizations. It finds them only by polls, because no wake-up announces a tick. */
@Injectable()
export class ScheduleWorker extends QueueWorker {
  readonly kind = 'schedule';
  // The ticks of an organization may wait for locks. Without this limit, they could occupy all slots.
  protected override readonly isShared = true;
  protected readonly graceMs = 5000;

  constructor(private readonly schedules: SchedulesService) {
    super();
  }

  work(claim: Claim): Promise<void> {
    return this.schedules.startTick(claim);
  }
}
