import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { Env } from '../config/env.js';
import { SenderDomainChecks } from './sender-domain-checks.js';
import { SenderDomainTools } from './sender-domain.tools.js';
import { SenderDomainsRepository } from './sender-domains.repository.js';
import { SenderDomainsService } from './sender-domains.service.js';
import { SenderKeysService } from './sender-keys.service.js';
import { SendersService } from './senders.service.js';
import { TextRecords } from './text-records.js';

/**
 * Proves that organizations own the domains from which they send e-mails, and keeps the keys that sign these e-mails.
 */
@Module({
  imports: [AccountsModule],
  providers: [
    {
      provide: TextRecords,
      inject: [Env],
      useFactory: ({ dnsServerList }: Env) => new TextRecords(dnsServerList),
    },
    SenderDomainTools,
    SenderDomainChecks,
    SenderDomainsService,
    SenderDomainsRepository,
    SenderKeysService,
    SendersService,
  ],
  exports: [SendersService],
})
export class SendersModule {}
