import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditSealWorker } from './audit-seal.worker.js';
import { AuditRepository } from './audit.repository.js';
import { AuditTools } from './audit.tools.js';
import { CallLogRetention } from './call-log-retention.js';

/**
 * Provides the tools that read the audit log and the log of calls, and the worker that adds the entries of the audit
 * log to its hash chain.
 */
@Module({
  imports: [AccountsModule],
  providers: [AuditRepository, AuditSealWorker, AuditTools, CallLogRetention],
})
export class AuditModule {}
