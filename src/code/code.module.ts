import { Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { CodeSandbox } from './code-sandbox.js';

@Module({
  providers: [
    {
      provide: CodeSandbox,
      inject: [Env],
      useFactory: (env: Env) => new CodeSandbox(env.codeSteps === 'on'),
    },
  ],
  exports: [CodeSandbox],
})
export class CodeModule {
  constructor(private readonly sandbox: CodeSandbox) {}

  async onApplicationShutdown(): Promise<void> {
    await this.sandbox.close();
  }
}
