import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/session.middleware.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { DecoratedMethods } from './decorated-methods.js';
import { DryRuns } from './dry-runs.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyRetention } from './idempotency-retention.js';
import { OrganizationTools } from './organization-tools.js';
import { OwnerGuard } from './owner.guard.js';
import { ReadingMethods } from './reading-methods.js';
import { RequestStates } from './request-states.js';
import { Tasks } from './tasks.js';
import { ToolPipeline } from './tool-pipeline.js';
import { ToolPolicyTools } from './tool-policy.tools.js';
import { ToolRegistry } from './tool-registry.js';
import { ToolsController } from './tools.controller.js';

/** The registry of tools and the one pipeline that every call goes through. */
@Module({
  imports: [DiscoveryModule, AccountsModule, PoliciesModule],
  controllers: [ToolsController],
  providers: [
    RequestStates,
    DecoratedMethods,
    ReadingMethods,
    ToolRegistry,
    OrganizationTools,
    DryRuns,
    Tasks,
    ToolPipeline,
    ToolPolicyTools,
    OwnerGuard,
    IdempotencyRepository,
    IdempotencyRetention,
  ],
  exports: [
    RequestStates,
    DecoratedMethods,
    ReadingMethods,
    ToolRegistry,
    OrganizationTools,
    DryRuns,
    Tasks,
  ],
})
export class ToolsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(ToolsController);
  }
}
