import { Injectable } from '@nestjs/common';
import type { Claim } from '../queue/leased-work.js';
import { QueueWorker } from '../queue/queue-worker.js';
import { SegmentEvaluationsService } from './segment-evaluations.service.js';

/** Claims organizations whose contacts must be compared with their segments. */
@Injectable()
export class SegmentWorker extends QueueWorker {
  readonly kind = 'segment';
  /**
   * The time that a stop waits for the work. The work pauses after its current part, and another process continues it,
   * so no wait is needed.
   */
  protected readonly graceMs = 0;
  /**
   * The largest number of organizations at the same time. The work of each one keeps a connection and a processor busy.
   */
  protected override readonly mostSlots = 2;

  constructor(private readonly evaluations: SegmentEvaluationsService) {
    super();
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    return this.evaluations.run(claim, signal);
  }
}
