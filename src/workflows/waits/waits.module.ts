import { Module } from '@nestjs/common';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { EventDeliveriesService } from './event-deliveries.service.js';
import { EventWorker } from './event.worker.js';
import { PendingEventsRepository } from './pending-events.repository.js';
import { RunWaitsRepository } from './run-waits.repository.js';

@Module({
  imports: [LiquidModule],
  providers: [EventDeliveriesService, EventWorker, PendingEventsRepository, RunWaitsRepository],
  exports: [PendingEventsRepository, RunWaitsRepository],
})
export class WaitsModule {}
