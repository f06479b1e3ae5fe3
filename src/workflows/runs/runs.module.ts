import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { BulkRunTools } from './bulk/bulk-run.tools.js';
import { BulkRuns } from './bulk/bulk-runs.service.js';
import { OfferedRunResults } from './offered-run-results.service.js';
import { RunContactTools } from './run-contact.tools.js';
import { RunContacts } from './run-contacts.service.js';
import { RunControlRepository } from './run-control.repository.js';
import { RunControl } from './run-control.service.js';
import { RunSearch } from './run-search.repository.js';
import { RunTasks } from './run-tasks.service.js';
import { RunWaiter } from './run-waiter.service.js';
import { RunCompletions } from './run.completions.js';
import { RunPrompts } from './run.prompts.js';
import { RunTools } from './run.tools.js';
import { RunsService } from './runs.service.js';

/** Lists runs and controls them: cancel, retry, replay, also in bulk. */
@Module({
  imports: [
    AccountsModule,
    ContactsModule,
    JournalModule,
    LiquidModule,
    StoreModule,
    TriggersModule,
  ],
  providers: [
    BulkRunTools,
    BulkRuns,
    OfferedRunResults,
    RunContactTools,
    RunContacts,
    RunControlRepository,
    RunControl,
    RunSearch,
    RunTasks,
    RunWaiter,
    RunCompletions,
    RunPrompts,
    RunTools,
    RunsService,
  ],
  exports: [RunTasks, RunWaiter],
})
export class RunsModule {}
