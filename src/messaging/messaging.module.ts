import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FilesModule } from '../files/files.module.js';
import { LiquidModule } from '../liquid/liquid.module.js';
import { PacingModule } from '../pacing/pacing.module.js';
import { SendersModule } from '../senders/senders.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { EmailEnvelopeService } from './email-envelope.service.js';
import { ExplanationTools } from './explanation.tools.js';
import { ExplanationsService } from './explanations.service.js';
import { HelpRepliesRepository } from './help-replies.repository.js';
import { InboundKeywordsService } from './inbound-keywords.service.js';
import { MessageAttachmentsService } from './message-attachments.service.js';
import { MessageAttemptsRepository } from './message-attempts.repository.js';
import { MessageAttemptsService } from './message-attempts.service.js';
import { MessageCancellationsService } from './message-cancellations.service.js';
import { MessageContentService } from './message-content.service.js';
import { MessageDeliveryService } from './message-delivery.service.js';
import { MessageDigestsService } from './message-digests.service.js';
import { MessageOutcomesService } from './message-outcomes.service.js';
import { MessagePermissionService } from './message-permission.service.js';
import { MessagePreviewController } from './message-preview.controller.js';
import { MessagePrompts } from './message.prompts.js';
import { MessageTemplatesService } from './message-templates.service.js';
import { MessageTools } from './message.tools.js';
import { MessageResolutionsService } from './message-resolutions.service.js';
import { MessageWorker } from './message.worker.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { ProviderReportsRepository } from './provider-reports.repository.js';
import { ProviderReportsService } from './provider-reports.service.js';
import { ProviderTools } from './provider.tools.js';
import { SuppressionsModule } from './suppressions.module.js';

/** Sends messages to contacts and records inbound messages. Tools queue messages; workers deliver them. */
@Module({
  imports: [
    AccountsModule,
    ChannelsModule,
    ContactsModule,
    FilesModule,
    LiquidModule,
    PacingModule,
    SendersModule,
    SuppressionsModule,
    TemplatesModule,
    ToolsModule,
    TopicsModule,
  ],
  controllers: [MessagePreviewController],
  providers: [
    MessageTools,
    ProviderTools,
    MessagePrompts,
    MessageWorker,
    MessagesService,
    MessageContentService,
    MessageTemplatesService,
    EmailEnvelopeService,
    MessageAttachmentsService,
    HelpRepliesRepository,
    InboundKeywordsService,
    MessagePermissionService,
    ProviderReportsService,
    MessageDeliveryService,
    ExplanationTools,
    ExplanationsService,
    MessageDigestsService,
    MessageCancellationsService,
    MessageAttemptsRepository,
    MessageAttemptsService,
    MessageOutcomesService,
    ProviderReportsRepository,
    MessageResolutionsService,
    MessagesRepository,
  ],
  exports: [MessagesService, MessageAttemptsRepository, MessagesRepository],
})
export class MessagingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(MessagePreviewController);
  }
}
