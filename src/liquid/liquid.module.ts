import { Module } from '@nestjs/common';
import { HtmlSandbox } from './html-sandbox.js';
import { LiquidSandbox } from './liquid-sandbox.js';
import { ProcessorTurns } from '../turns/processor-turns.js';
import { TextCompiler } from './text-compiler.js';

/** Provides the sandboxes for text and HTML, which share the processor time of an organization. */
@Module({
  providers: [
    TextCompiler,
    { provide: ProcessorTurns, useFactory: () => new ProcessorTurns() },
    {
      provide: LiquidSandbox,
      inject: [ProcessorTurns],
      useFactory: (turns: ProcessorTurns) => new LiquidSandbox(turns),
    },
    {
      provide: HtmlSandbox,
      inject: [ProcessorTurns],
      useFactory: (turns: ProcessorTurns) => new HtmlSandbox(turns),
    },
  ],
  exports: [LiquidSandbox, HtmlSandbox, TextCompiler],
})
export class LiquidModule {}
