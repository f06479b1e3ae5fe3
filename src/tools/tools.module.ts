import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ConfirmationRetention } from './confirmations/confirmation-retention.js';
import { ConfirmationTools } from './confirmations/confirmation.tools.js';
import { ConfirmationsRepository } from './confirmations/confirmations.repository.js';
import { ConfirmationsService } from './confirmations/confirmations.service.js';
import { DecoratedMethods } from './registry/decorated-methods.js';
import { DryRuns } from './pipeline/dry-runs.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { IdempotencyRetention } from './idempotency/idempotency-retention.js';
import { OfferedTools } from './registry/offered-tools.js';
import { OwnerGuard } from './policies/owner.guard.js';
import { ReadPipeline } from './pipeline/read-pipeline.js';
import { RequestStates } from './pipeline/request-states.js';
import { Tasks } from './pipeline/tasks.js';
import { ToolPipeline } from './pipeline/tool-pipeline.js';
import { ToolPolicyTools } from './policies/tool-policy.tools.js';
import { ToolRegistry } from './registry/tool-registry.js';
import { ToolsController } from './tools.controller.js';

const EXPORTED = [
  RequestStates,
  DecoratedMethods,
  ReadPipeline,
  ToolRegistry,
  OfferedTools,
  DryRuns,
  Tasks,
];

@Module({
  imports: [DiscoveryModule, AccountsModule, PoliciesModule],
  controllers: [ToolsController],
  providers: [
    ...EXPORTED,
    ToolPipeline,
    ToolPolicyTools,
    ConfirmationTools,
    ConfirmationsService,
    ConfirmationsRepository,
    ConfirmationRetention,
    OwnerGuard,
    IdempotencyRepository,
    IdempotencyRetention,
  ],
  exports: EXPORTED,
})
export class ToolsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(ToolsController);
  }
}
