import { Module } from '@nestjs/common';
import { join } from 'node:path';
import { Env } from '../config/env.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { LiquidModule } from '../liquid/liquid.module.js';
import { EmailChannel } from './channels/email-channel.js';
import { FileEmailChannel } from './channels/file-email-channel.js';
import { SmtpEmailChannel } from './channels/smtp-email-channel.js';
import { MessageDeliveryService } from './message-delivery.service.js';
import { MessagePrompts } from './message.prompts.js';
import { MessageTools } from './message.tools.js';
import { MessageWorker } from './message.worker.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { ProviderReportsService } from './provider-reports.service.js';
import { ProviderTools } from './provider.tools.js';

/** Sends messages to contacts and records inbound messages. Tools queue messages; workers deliver them. */
@Module({
  imports: [ContactsModule, LiquidModule],
  providers: [
    MessageTools,
    ProviderTools,
    MessagePrompts,
    MessageWorker,
    MessagesService,
    ProviderReportsService,
    MessageDeliveryService,
    MessagesRepository,
    { provide: EmailChannel, inject: [Env], useFactory: createEmailChannel },
  ],
  exports: [MessagesService],
})
export class MessagingModule {}

function createEmailChannel({ smtpUrl, mailFrom, dataDir, workerConcurrency }: Env): EmailChannel {
  return smtpUrl
    ? new SmtpEmailChannel(smtpUrl, mailFrom, workerConcurrency)
    : new FileEmailChannel(join(dataDir, 'outbox'), mailFrom);
}
