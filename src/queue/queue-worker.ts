import {
  type BeforeApplicationShutdown,
  Inject,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { DueWork } from './due-work.js';
import type { Share } from './fair-share.js';
import { type Claim, LEASE_SECONDS, type LeasedWork } from './leased-work.js';
import { LeasedWorker } from './leased-worker.js';
import { SLOT_FACTORS, type WakeUpKind, WakeUps } from './wake-ups.js';

interface ClaimRow {
  id: string;
  organization_id: string;
  epoch: number;
  limited?: boolean;
}

/** Processes rows of all organizations with the gate functions `claim_…s`, `renew_…s` and `release_…s` of its kind. */
export abstract class QueueWorker
  implements LeasedWork, OnApplicationBootstrap, BeforeApplicationShutdown
{
  abstract readonly kind: WakeUpKind;
  /** The milliseconds that running work gets when the process stops. The whole process has 25 s to end. */
  protected abstract readonly graceMs: number;
  /** True when `claim_…s` accepts a {@link Share}, so that no organization can occupy all slots. */
  protected readonly isShared: boolean = false;
  /**
   * The largest number of rows that the process works on at the same time, if this number is less than the number that
   * follows from `WORKER_CONCURRENCY`.
   */
  protected readonly mostSlots: number = Infinity;
  private worker?: LeasedWorker;

  @Inject(Env) protected readonly env: Env;
  @Inject(GateDatabase) protected readonly gate: GateDatabase;
  @Inject(WakeUps) private readonly wakeUps: WakeUps;
  @Inject(DueWork) private readonly dueWork: DueWork;
  @Inject(Failpoints) private readonly failpoints: Failpoints;

  abstract work(claim: Claim, signal: AbortSignal): Promise<void>;

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    const worker = new LeasedWorker(this, this.wakeUps, {
      concurrency: Math.min(this.env.workerConcurrency * SLOT_FACTORS[this.kind], this.mostSlots),
      isShared: this.isShared,
    });
    this.worker = worker;
    worker.start();
    this.dueWork.listen(this.kind, () => worker.poll());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop(this.graceMs);
  }

  claim(limit: number, id?: string, share?: Share): Promise<Claim[]> {
    const values = [limit, id ?? null, LEASE_SECONDS];
    return this.call('claim', share ? [...values, JSON.stringify(share)] : values);
  }

  async renew(claims: Claim[]): Promise<Claim[]> {
    await this.failpoints.reach('during lease renewal', this.kind);
    return await this.call('renew', [...keysOf(claims), LEASE_SECONDS]);
  }

  async release(claims: Claim[]): Promise<void> {
    await this.gate.call(`release_${this.kind}s`, keysOf(claims));
  }

  /** Claims due rows soon. Otherwise a row that its worker gave back waits up to a second for the next poll. */
  protected poll(): void {
    this.worker?.poll();
  }

  private async call(verb: 'claim' | 'renew', values: readonly unknown[]): Promise<Claim[]> {
    const rows = await this.gate.call<ClaimRow>(`${verb}_${this.kind}s`, values);
    return rows.map(({ id, organization_id: organizationId, epoch, limited }) => ({
      id,
      organizationId,
      epoch,
      ...(limited && { isLimited: true }),
    }));
  }
}

function keysOf(claims: Claim[]): [string[], number[]] {
  return [claims.map((claim) => claim.id), claims.map((claim) => claim.epoch)];
}
