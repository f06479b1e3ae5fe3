import { Injectable } from '@nestjs/common';
import type { Claim } from '../queue/leased-work.js';
import { QueueWorker } from '../queue/queue-worker.js';
import { ClaimedImportsService } from './claimed-imports.service.js';

/** Claims imports that were started, and imports their rows. */
@Injectable()
export class ImportWorker extends QueueWorker {
  readonly kind = 'import';
  /**
   * The time for which a stop waits until an import ends. It is 0, because an import pauses after its current part, and
   * another process continues it.
   */
  protected readonly graceMs = 0;
  /** The largest number of imports at the same time. Each one keeps a connection and a processor busy. */
  protected override readonly mostSlots = 2;

  constructor(private readonly claimedImports: ClaimedImportsService) {
    super();
  }

  async work(claim: Claim, signal: AbortSignal): Promise<void> {
    await this.claimedImports.run(claim, signal);
    this.poll();
  }
}
