import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { BearerGuard } from './bearer.guard.js';
import { CurrentKeyController } from './current-key.controller.js';
import { KeyOptionsService } from './key-options.service.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { RequestCallers } from './request-callers.js';

/** Provides API keys. Each organization has at most one active key. */
@Module({
  imports: [AccountsModule, ToolsModule],
  controllers: [CurrentKeyController, KeysController],
  providers: [ApiKeysRepository, BearerGuard, KeyOptionsService, KeysService, RequestCallers],
  exports: [BearerGuard, KeysService, RequestCallers],
})
export class KeysModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(KeysController);
  }
}
