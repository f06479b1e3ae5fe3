import { Module } from '@nestjs/common';
import { LiquidSandbox } from './liquid-sandbox.js';

@Module({ providers: [LiquidSandbox], exports: [LiquidSandbox] })
export class LiquidModule {}
