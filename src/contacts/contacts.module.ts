import { Module } from '@nestjs/common';
import { ContactCompletions } from './contact.completions.js';
import { ContactTools } from './contact.tools.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';

/** Contacts: who the organizations know, and how to find them. */
@Module({
  providers: [ContactTools, ContactCompletions, ContactsService, ContactsRepository],
  exports: [ContactsService],
})
export class ContactsModule {}
