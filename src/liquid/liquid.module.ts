import { Module } from '@nestjs/common';
import { LiquidSandbox } from './liquid-sandbox.js';

/** Provides the sandbox for templates and expressions. */
@Module({ providers: [LiquidSandbox], exports: [LiquidSandbox] })
export class LiquidModule {}
