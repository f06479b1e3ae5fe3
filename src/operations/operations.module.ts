import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Shutdown } from './shutdown.js';

/** What operators look at. */
@Module({ controllers: [HealthController], providers: [Shutdown] })
export class OperationsModule {}
