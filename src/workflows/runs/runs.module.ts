import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { BulkRunTools } from './bulk/bulk-run.tools.js';
import { BulkRunsService } from './bulk/bulk-runs.service.js';
import { EditedPayloadsService } from './edited-payloads.service.js';
import { OfferedRunResultsService } from './offered-run-results.service.js';
import { RunContactsService } from './run-contacts.service.js';
import { RunControlRepository } from './run-control.repository.js';
import { RunControlService } from './run-control.service.js';
import { RunDetailsRepository } from './run-details.repository.js';
import { RunRetriesService } from './run-retries.service.js';
import { RunSearchRepository } from './run-search.repository.js';
import { RunTasksService } from './run-tasks.service.js';
import { RunWaiterService } from './run-waiter.service.js';
import { RunPrompts } from './run.prompts.js';
import { RunTools } from './run.tools.js';
import { RunsService } from './runs.service.js';

@Module({
  imports: [
    AccountsModule,
    ContactsModule,
    JournalModule,
    LiquidModule,
    PayloadsModule,
    StoreModule,
    TriggersModule,
  ],
  providers: [
    BulkRunTools,
    BulkRunsService,
    EditedPayloadsService,
    OfferedRunResultsService,
    RunContactsService,
    RunControlRepository,
    RunControlService,
    RunDetailsRepository,
    RunRetriesService,
    RunSearchRepository,
    RunTasksService,
    RunWaiterService,
    RunPrompts,
    RunTools,
    RunsService,
  ],
  exports: [RunTasksService, RunWaiterService],
})
export class RunsModule {}
