import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FilesModule } from '../files/files.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { SendersModule } from '../senders/senders.module.js';
import { ChannelProviderTools } from './channel-provider.tools.js';
import { ChannelProvidersRepository } from './channel-providers.repository.js';
import { ChannelProvidersService } from './channel-providers.service.js';
import { ChannelRegistry } from './channel-registry.js';
import { HandoversService } from './handovers.service.js';
import { MailChannel } from './mail-channel.js';
import { ProviderRequests } from './provider-requests.js';
import { SmsChannel } from './sms-channel.js';
import { WebhookChannel } from './webhook-channel.js';

/** Provides the channels by which messages reach contacts, and the providers of organizations. */
@Module({
  imports: [
    AccountsModule,
    DiscoveryModule,
    FilesModule,
    MailModule,
    OutboundModule,
    SendersModule,
  ],
  providers: [
    ChannelRegistry,
    ChannelProvidersRepository,
    ChannelProvidersService,
    ChannelProviderTools,
    HandoversService,
    ProviderRequests,
    MailChannel,
    SmsChannel,
    WebhookChannel,
  ],
  exports: [ChannelRegistry, HandoversService, ProviderRequests],
})
export class ChannelsModule {}
