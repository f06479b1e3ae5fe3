import { Module } from '@nestjs/common';
import { ContactTools } from './contact.tools.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';

@Module({
  providers: [ContactTools, ContactsService, ContactsRepository],
  exports: [ContactsService],
})
export class ContactsModule {}
