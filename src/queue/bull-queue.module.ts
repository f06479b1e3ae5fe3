import { BullModule, Process, Processor } from '@nestjs/bull';
import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import type { Job, QueueOptions } from 'bull';
import type { Env } from '../config/env.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import { BullWakeUps, WAKE_UP_QUEUE, type WakeUpJob } from './bull-wake-ups.js';
import { DueWork } from './due-work.js';
import { FairShare } from './fair-share.js';
import { SLOT_FACTORS, WakeUps } from './wake-ups.js';

@Module({})
export class BullQueueModule {
  static forRoot(env: Env, redisUrl: string, access: DatabaseAccess): DynamicModule {
    return {
      module: BullQueueModule,
      global: true,
      imports: [
        BullModule.registerQueue({
          name: WAKE_UP_QUEUE,
          redis: redisOptions(redisUrl),
          // Installations may share a Redis, so the prefix must be unique. Each installation has its own role name. A
          // copy of an installation has the same role name, but another database name.
          prefix: `{switchboard:${access.database}:${access.gate.user}}`,
        }),
      ],
      providers: [
        BullWakeUps,
        DueWork,
        { provide: WakeUps, useExisting: BullWakeUps },
        ...(env.runsWorker ? [bullProcessor(slotsOfAllKinds(env.workerConcurrency))] : []),
      ],
      exports: [DueWork, WakeUps],
    };
  }
}

/** Each kind of row has its own slots, so a wake-up never waits for rows of another kind. */
function slotsOfAllKinds(concurrency: number): number {
  return Object.values(SLOT_FACTORS)
    .map((factor) => FairShare.slotsOf(factor * concurrency))
    .reduce((sum, slots) => sum + slots, 0);
}

/**
 * Returns a Bull processor class. Only a decorator can set the concurrency of a processor, so each concurrency needs
 * its own class.
 */
function bullProcessor(concurrency: number): Type {
  @Injectable()
  @Processor(WAKE_UP_QUEUE)
  class BullProcessor {
    constructor(private readonly wakeUps: BullWakeUps) {}

    @Process({ concurrency })
    process(job: Job<WakeUpJob>): Promise<void> {
      return this.wakeUps.deliver(job.data);
    }
  }
  return BullProcessor;
}

// ioredis is a dependency of Bull and not of this package, so the types come from Bull.
type RedisOptions = Exclude<QueueOptions['redis'], string | undefined>;

const CONNECT_MS = 5000;
const MAX_RETRY_MS = 2000;

function redisOptions(redisUrl: string): RedisOptions {
  const url = new URL(redisUrl);
  const db = Number(url.pathname.slice(1));
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
    ...(Number.isInteger(db) && { db }),
    ...(url.protocol === 'rediss:' && { tls: { servername: url.hostname } }),
    connectTimeout: CONNECT_MS,
    // With a limit, an outage of a few seconds would stop Bull's processor permanently.
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    retryStrategy: (times) => Math.min(times * 100, MAX_RETRY_MS),
  };
}
