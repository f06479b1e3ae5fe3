import { Module } from '@nestjs/common';
import { ToolPoliciesRepository } from './tool-policies.repository.js';
import { ToolPoliciesService } from './tool-policies.service.js';

/** Provides the tool policies of organizations: which tools are hidden, and which calls need a confirmation. */
@Module({
  providers: [ToolPoliciesRepository, ToolPoliciesService],
  exports: [ToolPoliciesService],
})
export class PoliciesModule {}
