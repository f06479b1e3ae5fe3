import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { OfferedWorkflows } from './offered-workflows.service.js';
import { WorkflowOfferTools } from './workflow-offer.tools.js';
import { WorkflowOffers } from './workflow-offers.service.js';

/** Offers workflows to agents as tools. */
@Module({
  imports: [AccountsModule, LiquidModule, RunsModule, StoreModule, ToolsModule, TriggersModule],
  providers: [OfferedWorkflows, WorkflowOfferTools, WorkflowOffers],
  exports: [WorkflowOffers],
})
export class OffersModule {}
