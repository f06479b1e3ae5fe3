import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { OfferedWorkflowSourceService } from './offered-workflow-source.service.js';
import { OfferedWorkflowTools } from './offered-workflow.tools.js';
import { OfferedWorkflowsService } from './offered-workflows.service.js';

@Module({
  imports: [AccountsModule, LiquidModule, RunsModule, StoreModule, ToolsModule, TriggersModule],
  providers: [OfferedWorkflowSourceService, OfferedWorkflowTools, OfferedWorkflowsService],
  exports: [OfferedWorkflowsService],
})
export class OffersModule {}
