import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { type Claim, LeasedWorker, type LeasedWork } from '../queue/leased-worker.js';
import { WakeUps } from '../queue/wake-ups.js';
import { EmailChannel } from './channels/email-channel.js';
import { DeliveryService } from './delivery.service.js';
import { MessageLeasesRepository } from './message-leases.repository.js';

/** What a stop leaves to messages that are being handed over; the whole process has 25 s to end. */
const GRACE_MS = 15_000;

/** Delivers due messages in processes that run workers. */
@Injectable()
export class MessageWorker
  implements LeasedWork, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly kind = 'message';
  private worker?: LeasedWorker;

  constructor(
    private readonly env: Env,
    private readonly wakeUps: WakeUps,
    private readonly leases: MessageLeasesRepository,
    private readonly delivery: DeliveryService,
    private readonly email: EmailChannel,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.worker = new LeasedWorker(this, this.wakeUps, { concurrency: this.env.workerConcurrency });
    this.worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop(GRACE_MS);
  }

  onApplicationShutdown(): void {
    this.email.close();
  }

  claim(limit: number, id?: string): Promise<Claim[]> {
    return this.leases.claim(limit, id);
  }

  work(claim: Claim, signal: AbortSignal): Promise<void> {
    return this.delivery.deliver(claim, signal);
  }

  renew(claims: Claim[]): Promise<Claim[]> {
    return this.leases.renew(claims);
  }

  release(claims: Claim[]): Promise<void> {
    return this.leases.release(claims);
  }
}
