import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { ChangeStreamController } from './change-stream.controller.js';
import { ChangeStreamsService } from './change-streams.service.js';

/** Sends changes to the pages of signed-in people. */
@Module({
  imports: [AccountsModule],
  controllers: [ChangeStreamController],
  providers: [ChangeStreamsService],
})
export class ChangeStreamsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(ChangeStreamController);
  }
}
