import { Module } from '@nestjs/common';
import { ContactsModule } from '../contacts/contacts.module.js';
import { SuppressionTools } from './suppression.tools.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';

/** Provides suppressed addresses, which get no messages. */
@Module({
  imports: [ContactsModule],
  providers: [SuppressionTools, SuppressionsService, SuppressionsRepository],
  exports: [SuppressionsService],
})
export class SuppressionsModule {}
