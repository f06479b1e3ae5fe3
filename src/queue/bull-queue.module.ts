import { BullModule, getQueueToken } from '@nestjs/bull';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bull';
import type { Env } from '../config/env.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import { bullProcessor } from './bull-processor.js';
import { BullWakeUps, WAKE_UP_QUEUE, type WakeUpJob } from './bull-wake-ups.js';
import { FairShare } from './fair-share.js';
import { redisOptions } from './redis-options.js';
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
