import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import {
  type Claim,
  LEASE_SECONDS,
  LeasedWorker,
  type LeasedWork,
} from '../queue/leased-worker.js';
import { WakeUps } from '../queue/wake-ups.js';
import { RunExecutor } from './run-executor.service.js';

const GRACE_MS = 20_000;

interface ClaimRow {
  id: string;
  organization_id: string;
  epoch: number;
}

/** Takes runs that are due, whosever they are, and carries them on; each inside its own organization. */
@Injectable()
export class RunWorker implements LeasedWork, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly kind = 'run';
  private worker?: LeasedWorker;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly wakeUps: WakeUps,
    private readonly executor: RunExecutor,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.worker = new LeasedWorker(this, this.wakeUps, {
      concurrency: this.env.workerConcurrency,
    });
    this.worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop(GRACE_MS);
  }

  async claim(limit: number, id?: string): Promise<Claim[]> {
    const rows = await this.gate.call<ClaimRow>('claim_runs', [limit, id ?? null, LEASE_SECONDS]);
    return rows.map(toClaim);
  }

  async work(claim: Claim, signal: AbortSignal): Promise<void> {
    await this.executor.execute(claim, signal);
  }

  async renew(claims: Claim[]): Promise<Claim[]> {
    const [ids, epochs] = split(claims);
    const rows = await this.gate.call<ClaimRow>('renew_runs', [ids, epochs, LEASE_SECONDS]);
    return rows.map(toClaim);
  }

  async release(claims: Claim[]): Promise<void> {
    await this.gate.call('release_runs', split(claims));
  }
}

function toClaim(row: ClaimRow): Claim {
  return { id: row.id, organizationId: row.organization_id, epoch: row.epoch };
}

function split(claims: Claim[]): [string[], number[]] {
  return [claims.map((claim) => claim.id), claims.map((claim) => claim.epoch)];
}
