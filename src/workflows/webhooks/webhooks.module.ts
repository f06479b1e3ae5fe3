import { Module } from '@nestjs/common';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { WaitsModule } from '../waits/waits.module.js';
import { DeliveryLogService } from './delivery-log.service.js';
import { ResumeController } from './resume.controller.js';
import { ResumesService } from './resumes.service.js';
import { WebhookAnswersService } from './webhook-answers.service.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookLookUpsService } from './webhook-look-ups.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { WebhookStartsService } from './webhook-starts.service.js';
import { WebhookTools } from './webhook.tools.js';
import { WebhookController } from './webhook.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [PayloadsModule, RunsModule, StoreModule, TriggersModule, WaitsModule],
  controllers: [ResumeController, WebhookController],
  providers: [
    DeliveryLogService,
    ResumesService,
    WebhookAnswersService,
    WebhookChecksService,
    WebhookDeliveriesRepository,
    WebhookLookUpsService,
    WebhookSecretsService,
    WebhookStartsService,
    WebhookTools,
    WebhooksService,
  ],
  exports: [ResumesService, WebhookSecretsService],
})
export class WebhooksModule {}
