import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { CustomEventRetention } from './custom-event-retention.js';
import { CustomEventTools } from './custom-event.tools.js';
import { CustomEventsController } from './custom-events.controller.js';
import { CustomEventsRepository } from './custom-events.repository.js';
import { CustomEventsService } from './custom-events.service.js';

/** Lets people, agents, workflows and programs emit custom events. */
@Module({
  imports: [AccountsModule, ContactsModule, KeysModule, ToolsModule],
  controllers: [CustomEventsController],
  providers: [CustomEventRetention, CustomEventTools, CustomEventsRepository, CustomEventsService],
})
export class CustomEventsModule {}
