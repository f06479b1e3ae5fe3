import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/session.middleware.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { BearerGuard } from './bearer.guard.js';
import { KeyLookUps } from './key-look-ups.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';

/** API keys: one active key per organization. */
@Module({
  imports: [AccountsModule],
  controllers: [KeysController],
  providers: [ApiKeysRepository, BearerGuard, KeyLookUps, KeysService],
  exports: [BearerGuard, KeysService],
})
export class KeysModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(KeysController);
  }
}
