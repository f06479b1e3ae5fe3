import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Shutdown } from './shutdown.js';
import { StatisticsWorker } from './statistics.worker.js';

@Module({ controllers: [HealthController], providers: [Shutdown, StatisticsWorker] })
export class OperationsModule {}
