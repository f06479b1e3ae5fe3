import { Module } from '@nestjs/common';
import { AuthoringModule } from './authoring/authoring.module.js';
import { EngineModule } from './engine/engine.module.js';
import { OffersModule } from './offers/offers.module.js';
import { RunsModule } from './runs/runs.module.js';
import { TriggersModule } from './triggers/triggers.module.js';
import { WaitsModule } from './waits/waits.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Imports all modules of workflows. An application imports only this module. */
@Module({
  imports: [
    AuthoringModule,
    EngineModule,
    OffersModule,
    RunsModule,
    TriggersModule,
    WaitsModule,
    WebhooksModule,
  ],
})
export class WorkflowsModule {}
