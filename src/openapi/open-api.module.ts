import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { ToolsModule } from '../tools/tools.module.js';
import { OpenApiController } from './open-api.controller.js';

@Module({
  imports: [AccountsModule, ToolsModule],
  controllers: [OpenApiController],
})
export class OpenApiModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(OpenApiController);
  }
}
