import { Module } from '@nestjs/common';
import { ChannelsModule, MessagingModule } from 'switchboard';
import { SlackChannel } from './slack.channel.js';
import { WhatsAppChannel } from './whats-app.channel.js';

@Module({
  imports: [ChannelsModule, MessagingModule],
  providers: [SlackChannel, WhatsAppChannel],
})
export class TeamChannelsModule {}
