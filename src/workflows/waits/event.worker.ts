import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { QueueWorker } from '../../queue/queue-worker.js';
import type { Claim } from '../../queue/leased-work.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { EventDeliveriesService } from './event-deliveries.service.js';

/** Claims stored events of all organizations and delivers them to the runs that wait for them. */
@Injectable()
export class EventWorker extends QueueWorker {
  readonly kind = 'event';
  protected readonly graceMs = 5000;

  constructor(
    env: Env,
    gate: GateDatabase,
    wakeUps: WakeUps,
    failpoints: Failpoints,
    private readonly deliveries: EventDeliveriesService,
  ) {
    super(env, gate, wakeUps, failpoints);
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    return this.deliveries.deliver(claim, signal);
  }
}
