import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { resourceChange } from '../changes/change.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { GateDatabase } from '../database/gate-database.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { GateWorker } from '../queue/gate-worker.js';
import type { Claim } from '../queue/leased-worker.js';
import { WakeUps } from '../queue/wake-ups.js';
import { RunExecutor } from './run-executor.service.js';

/** Takes runs that are due, whosever they are, and carries them on; each inside its own organization. */
@Injectable()
export class RunWorker extends GateWorker {
  readonly kind = 'run';
  protected readonly graceMs = 20_000;

  constructor(
    env: Env,
    gate: GateDatabase,
    wakeUps: WakeUps,
    failpoints: Failpoints,
    private readonly executor: RunExecutor,
    private readonly changes: ChangeFeed,
  ) {
    super(env, gate, wakeUps, failpoints);
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    // The claim made it `running`.
    this.publish(claim);
    return this.executor.execute(claim, signal);
  }

  override async release(claims: Claim[]): Promise<void> {
    await super.release(claims);
    for (const claim of claims) this.publish(claim);
  }

  private publish({ organizationId, id }: Claim): void {
    this.changes.publish(organizationId, resourceChange('runs', id));
  }
}
