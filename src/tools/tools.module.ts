import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { ToolPipeline } from './tool-pipeline.js';
import { ToolRegistry } from './tool-registry.js';
import { ToolsController } from './tools.controller.js';

/** The registry of tools and the one pipeline that every call goes through. */
@Module({
  imports: [DiscoveryModule, AccountsModule],
  controllers: [ToolsController],
  providers: [ToolRegistry, ToolPipeline, IdempotencyRepository],
  exports: [ToolRegistry],
})
export class ToolsModule {}
