import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Env } from './env.js';

/** Gives {@link Env} to whoever asks for it. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(env: Env): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Env, useValue: env }],
      exports: [Env],
    };
  }
}
