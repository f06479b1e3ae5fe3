import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { WaitsModule } from '../waits/waits.module.js';
import { DeliveryLog } from './delivery-log.service.js';
import { ResumeUrls } from './resume-urls.service.js';
import { ResumeController } from './resume.controller.js';
import { ResumesService } from './resumes.service.js';
import { WebhookChecks } from './webhook-checks.service.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookLookUps } from './webhook-look-ups.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { WebhookStarts } from './webhook-starts.service.js';
import { WebhookController } from './webhook.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Receives webhooks and resume URLs. */
@Module({
  imports: [RunsModule, StoreModule, TriggersModule, WaitsModule],
  controllers: [ResumeController, WebhookController],
  providers: [
    DeliveryLog,
    ResumeUrls,
    ResumesService,
    WebhookChecks,
    WebhookDeliveriesRepository,
    WebhookLookUps,
    WebhookSecrets,
    WebhookStarts,
    WebhooksService,
  ],
  exports: [ResumeUrls, WebhookDeliveriesRepository, WebhookSecrets],
})
export class WebhooksModule {}
