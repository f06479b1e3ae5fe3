import { Module } from '@nestjs/common';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { StoreModule } from '../store/store.module.js';
import { EventTriggersService } from './event-triggers.service.js';
import { RunLimitsService } from './run-limits.service.js';
import { ManualStartsService } from './manual-starts.service.js';
import { PayloadContactsService } from './payload-contacts.service.js';
import { RunStartsService } from './run-starts.service.js';
import { ScheduleWorker } from './schedule.worker.js';
import { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';
import { TriggerFilterService } from './trigger-filter.service.js';

@Module({
  imports: [ContactsModule, JournalModule, LiquidModule, StoreModule],
  providers: [
    EventTriggersService,
    ManualStartsService,
    RunLimitsService,
    PayloadContactsService,
    RunStartsService,
    ScheduleWorker,
    SchedulesRepository,
    SchedulesService,
    TriggerFilterService,
  ],
  exports: [
    ManualStartsService,
    RunLimitsService,
    PayloadContactsService,
    RunStartsService,
    SchedulesService,
    TriggerFilterService,
  ],
})
export class TriggersModule {}
