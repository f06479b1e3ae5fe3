import { BullModule, Process, Processor, getQueueToken } from '@nestjs/bull';
import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import type { Job, Queue, QueueOptions } from 'bull';
import type { Env } from '../config/env.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import { BullWakeUps, WAKE_UP_QUEUE, type WakeUpJob } from './bull-wake-ups.js';
import { FairShare } from './fair-share.js';
import { WakeUps } from './wake-ups.js';

/**
 * Runs, messages and events: each has slots of its own in the worker, so the processor must hold that many hints. Of
 * schedules nobody is told.
 */
const KINDS = 3;

/** Workers are told of work through Bull. */
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
          // Installations may share a Redis: the role's name is one installation's, the database's tells copies apart.
          prefix: `{switchboard:${access.database}:${access.gate.user}}`,
        }),
      ],
      providers: [
        {
          provide: BullWakeUps,
          inject: [getQueueToken(WAKE_UP_QUEUE)],
          useFactory: (queue: Queue<WakeUpJob>) => new BullWakeUps(queue),
        },
        { provide: WakeUps, useExisting: BullWakeUps },
        ...(env.runsWorker
          ? [bullProcessor(KINDS * FairShare.slotsOf(env.workerConcurrency))]
          : []),
      ],
      exports: [WakeUps],
    };
  }
}

/** The Bull processor of a worker. A class per concurrency, because a decorator is all that can tell Bull. */
export function bullProcessor(concurrency: number): Type {
  @Injectable()
  @Processor(WAKE_UP_QUEUE)
  class BullProcessor {
    constructor(private readonly wakeUps: BullWakeUps) {}

    @Process({ concurrency })
    process(job: Job<WakeUpJob>): Promise<void> {
      return this.wakeUps.hand(job.data);
    }
  }
  return BullProcessor;
}

// ioredis is Bull's dependency, so its types are reached through Bull's.
type RedisOptions = Exclude<QueueOptions['redis'], string | undefined>;

const CONNECT_MS = 5000;
const LONGEST_RETRY_MS = 2000;

/** Connection options for `redis://` and `rediss://` addresses. */
export function redisOptions(redisUrl: string): RedisOptions {
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
    // Bull's processor must outlive an outage of any length; a limit would end it for good after a few seconds.
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    retryStrategy: (times) => Math.min(times * 100, LONGEST_RETRY_MS),
  };
}
