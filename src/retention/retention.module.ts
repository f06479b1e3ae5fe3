import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { RetentionRepository } from './retention.repository.js';
import { RetentionTools } from './retention.tools.js';
import { RetentionWorker } from './retention.worker.js';

@Module({
  imports: [AccountsModule],
  providers: [RetentionRepository, RetentionTools, RetentionWorker],
})
export class RetentionModule {}
