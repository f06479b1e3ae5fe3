import { Module } from '@nestjs/common';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { StoreModule } from '../store/store.module.js';
import { EventTriggers } from './event-triggers.service.js';
import { LimitGatesRepository } from './limits/limit-gates.repository.js';
import { LimitGates } from './limits/limit-gates.service.js';
import { PayloadContacts } from './payload-contacts.service.js';
import { RunStarts } from './run-starts.service.js';
import { ScheduleWorker } from './schedule.worker.js';
import { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';
import { TriggerFilter } from './trigger-filter.service.js';

/** Starts runs: by hand, by schedule, by domain events and by webhooks, within the limits of the workflow. */
@Module({
  imports: [ContactsModule, JournalModule, LiquidModule, StoreModule],
  providers: [
    EventTriggers,
    LimitGatesRepository,
    LimitGates,
    PayloadContacts,
    RunStarts,
    ScheduleWorker,
    SchedulesRepository,
    SchedulesService,
    TriggerFilter,
  ],
  exports: [LimitGates, PayloadContacts, RunStarts, SchedulesService, TriggerFilter],
})
export class TriggersModule {}
