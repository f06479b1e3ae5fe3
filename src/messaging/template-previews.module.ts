import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { LiquidModule } from '../liquid/liquid.module.js';
import { PacingModule } from '../pacing/pacing.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { MessagingModule } from './messaging.module.js';
import { TemplatePreviewController } from './template-preview.controller.js';
import { TemplatePreviewTools } from './template-preview.tools.js';
import { TemplatePreviewsService } from './template-previews.service.js';
import { TemplateTestsService } from './template-tests.service.js';

/** Shows templates as messages, and sends them to the person who writes them. */
@Module({
  imports: [
    AccountsModule,
    ChannelsModule,
    ContactsModule,
    LiquidModule,
    MessagingModule,
    PacingModule,
    TemplatesModule,
    ToolsModule,
  ],
  controllers: [TemplatePreviewController],
  providers: [TemplatePreviewTools, TemplatePreviewsService, TemplateTestsService],
})
export class TemplatePreviewsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(TemplatePreviewController);
  }
}
