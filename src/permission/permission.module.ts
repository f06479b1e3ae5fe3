import { Module } from '@nestjs/common';
import { ContactsModule } from '../contacts/contacts.module.js';
import { MessagingModule } from '../messaging/messaging.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { PermissionPagesController } from './permission-pages.controller.js';
import { PermissionPagesService } from './permission-pages.service.js';
import { SubscriptionRequestsService } from './subscription-requests.service.js';
import { SubscriptionTools } from './subscription.tools.js';

/** Lets contacts decide which messages they get, by links in messages, and asks them to confirm subscriptions. */
@Module({
  imports: [ContactsModule, MessagingModule, TopicsModule],
  controllers: [PermissionPagesController],
  providers: [SubscriptionTools, SubscriptionRequestsService, PermissionPagesService],
})
export class PermissionModule {}
