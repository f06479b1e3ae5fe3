import { Module } from '@nestjs/common';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { EventDeliveries } from './event-deliveries.service.js';
import { EventWorker } from './event.worker.js';
import { PendingEventsRepository } from './pending-events.repository.js';
import { RunWaitsRepository } from './run-waits.repository.js';

/** Stores what runs wait for and delivers events to them. */
@Module({
  imports: [LiquidModule],
  providers: [EventDeliveries, EventWorker, PendingEventsRepository, RunWaitsRepository],
  exports: [PendingEventsRepository, RunWaitsRepository],
})
export class WaitsModule {}
