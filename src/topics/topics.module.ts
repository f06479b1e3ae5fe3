import { Module } from '@nestjs/common';
import { ContactsModule } from '../contacts/contacts.module.js';
import { ChannelConsentService } from './channel-consent.service.js';
import { PermissionLinks } from './permission-links.js';
import { TopicSubscriptionsRepository } from './topic-subscriptions.repository.js';
import { TopicSubscriptionsService } from './topic-subscriptions.service.js';
import { TopicTools } from './topic.tools.js';
import { TopicsRepository } from './topics.repository.js';
import { TopicsService } from './topics.service.js';

/** Stores topics of messages, the decisions of contacts about topics, and the links by which contacts decide. */
@Module({
  imports: [ContactsModule],
  providers: [
    TopicTools,
    TopicsService,
    TopicsRepository,
    TopicSubscriptionsService,
    TopicSubscriptionsRepository,
    PermissionLinks,
    ChannelConsentService,
  ],
  exports: [TopicsService, TopicSubscriptionsService, ChannelConsentService, PermissionLinks],
})
export class TopicsModule {}
