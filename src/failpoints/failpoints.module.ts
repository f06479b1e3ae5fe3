import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Failpoints } from './failpoints.js';

/** Gives {@link Failpoints} to whoever passes one. No setting replaces them: only code that starts the process can. */
@Global()
@Module({})
export class FailpointsModule {
  static forRoot(failpoints: Failpoints): DynamicModule {
    return {
      module: FailpointsModule,
      providers: [{ provide: Failpoints, useValue: failpoints }],
      exports: [Failpoints],
    };
  }
}
