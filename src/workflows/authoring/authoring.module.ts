import { Module } from '@nestjs/common';
import { CodeModule } from '../../code/code.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { PoliciesModule } from '../../policies/policies.module.js';
import { SecretsModule } from '../../secrets/secrets.module.js';
import { SegmentsModule } from '../../segments/segments.module.js';
import { TemplatesModule } from '../../templates/templates.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { OffersModule } from '../offers/offers.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { CompatibilityReportService } from './versions/compatibility-report.service.js';
import { WorkflowVersionTools } from './versions/workflow-version.tools.js';
import { WorkflowVersionsService } from './versions/workflow-versions.service.js';
import { DefinitionChecksService } from './definition-checks.service.js';
import { DefinitionReferencesService } from './definition-references.service.js';
import { WorkflowPrompts } from './workflow.prompts.js';
import { WorkflowTools } from './workflow.tools.js';
import { WorkflowsService } from './workflows.service.js';

@Module({
  imports: [
    CodeModule,
    LiquidModule,
    OffersModule,
    PoliciesModule,
    SecretsModule,
    SegmentsModule,
    StoreModule,
    TemplatesModule,
    ToolsModule,
    TriggersModule,
    WebhooksModule,
  ],
  providers: [
    DefinitionChecksService,
    DefinitionReferencesService,
    CompatibilityReportService,
    WorkflowVersionTools,
    WorkflowVersionsService,
    WorkflowPrompts,
    WorkflowTools,
    WorkflowsService,
  ],
})
export class AuthoringModule {}
