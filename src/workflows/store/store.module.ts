import { Module } from '@nestjs/common';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { ToolCompatibilityService } from './tool-compatibility.service.js';
import { VersionHistoryService } from './version-history.service.js';
import { OfferedWorkflowsRepository } from './offered-workflows.repository.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';
import { WorkflowsRepository } from './workflows.repository.js';

/** Stores workflows, their versions and the offered workflows. */
@Module({
  imports: [LiquidModule, ToolsModule],
  providers: [
    ToolCompatibilityService,
    VersionHistoryService,
    OfferedWorkflowsRepository,
    WorkflowVersionsRepository,
    WorkflowsRepository,
  ],
  exports: [
    ToolCompatibilityService,
    VersionHistoryService,
    OfferedWorkflowsRepository,
    WorkflowVersionsRepository,
    WorkflowsRepository,
  ],
})
export class StoreModule {}
