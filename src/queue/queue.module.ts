import { type DynamicModule, Module } from '@nestjs/common';
import type { Env } from '../config/env.js';
import type { DatabaseAccess } from '../database/database-access.js';
import { WakeUps } from './wake-ups.js';

@Module({})
export class QueueModule {
  static forRoot(_env: Env, _access: DatabaseAccess): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      providers: [
        {
          provide: WakeUps,
          useValue: { wake: () => {}, consume: () => {}, pause: async () => {} },
        },
      ],
      exports: [WakeUps],
    };
  }
}
