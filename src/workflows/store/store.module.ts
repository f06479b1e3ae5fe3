import { Module } from '@nestjs/common';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { ToolCompatibilityService } from './tool-compatibility.service.js';
import { VersionHistoryService } from './version-history.service.js';
import { OfferedWorkflowsRepository } from './offered-workflows.repository.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';
import { WorkflowsRepository } from './workflows.repository.js';

const PROVIDERS = [
  ToolCompatibilityService,
  VersionHistoryService,
  OfferedWorkflowsRepository,
  WorkflowVersionsRepository,
  WorkflowsRepository,
];

@Module({
  imports: [LiquidModule, ToolsModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class StoreModule {}
