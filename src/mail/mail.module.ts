import { Module } from '@nestjs/common';
import { join } from 'node:path';
import { Env } from '../config/env.js';
import { EmailChannel } from './email-channel.js';
import { FileEmailChannel } from './file-email-channel.js';
import { SmtpEmailChannel } from './smtp-email-channel.js';

/** Provides the channel that sends e-mails: through a mail server, or to files when no server is configured. */
@Module({
  providers: [{ provide: EmailChannel, inject: [Env], useFactory: createEmailChannel }],
  exports: [EmailChannel],
})
export class MailModule {}

function createEmailChannel({ smtpUrl, mailFrom, dataDir, workerConcurrency }: Env): EmailChannel {
  return smtpUrl
    ? new SmtpEmailChannel(smtpUrl, mailFrom, workerConcurrency)
    : new FileEmailChannel(join(dataDir, 'outbox'), mailFrom);
}
