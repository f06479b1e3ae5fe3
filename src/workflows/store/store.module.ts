import { Module } from '@nestjs/common';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { WaitsModule } from '../waits/waits.module.js';
import { ToolCompatibility } from './tool-compatibility.service.js';
import { VersionHistory } from './version-history.service.js';
import { WorkflowToolsRepository } from './workflow-tools.repository.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';
import { WorkflowsRepository } from './workflows.repository.js';

/** Stores workflows, their versions and the offers of workflows as tools. */
@Module({
  imports: [LiquidModule, ToolsModule, WaitsModule],
  providers: [
    ToolCompatibility,
    VersionHistory,
    WorkflowToolsRepository,
    WorkflowVersionsRepository,
    WorkflowsRepository,
  ],
  exports: [
    ToolCompatibility,
    VersionHistory,
    WorkflowToolsRepository,
    WorkflowVersionsRepository,
    WorkflowsRepository,
  ],
})
export class StoreModule {}
