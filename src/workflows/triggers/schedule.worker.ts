import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { QueueWorker } from '../../queue/queue-worker.js';
import type { Claim } from '../../queue/leased-work.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { SchedulesService } from './schedules.service.js';

/** Claims due ticks of all organizations. It polls once a second, because no wake-up announces a tick. */
@Injectable()
export class ScheduleWorker extends QueueWorker {
  readonly kind = 'schedule';
  protected readonly graceMs = 5000;

  constructor(
    env: Env,
    gate: GateDatabase,
    wakeUps: WakeUps,
    failpoints: Failpoints,
    private readonly schedules: SchedulesService,
  ) {
    super(env, gate, wakeUps, failpoints);
  }

  work(claim: Claim): Promise<void> {
    return this.schedules.startTick(claim);
  }
}
