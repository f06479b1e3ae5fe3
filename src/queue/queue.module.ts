import { type DynamicModule, Module } from '@nestjs/common';
import type { Env } from '../config/env.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import { DueWork } from './due-work.js';
import { PostgresWakeUps } from './postgres-wake-ups.js';
import { WakeUps } from './wake-ups.js';

/**
 * Provides the polls for due work, and wake-ups: through Bull when Redis is configured, otherwise through PostgreSQL.
 */
@Module({})
export class QueueModule {
  static async forRoot(env: Env, access: DatabaseAccess): Promise<DynamicModule> {
    if (!env.redisUrl) {
      return {
        module: QueueModule,
        global: true,
        providers: [DueWork, { provide: WakeUps, useClass: PostgresWakeUps }],
        exports: [DueWork, WakeUps],
      };
    }
    // This module is loaded on demand, because Bull and its Redis client use a tenth of the memory of a process.
    const { BullQueueModule } = await import('./bull-queue.module.js');
    return BullQueueModule.forRoot(env, env.redisUrl, access);
  }
}
