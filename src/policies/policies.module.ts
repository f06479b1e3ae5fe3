import { Module } from '@nestjs/common';
import { ToolPoliciesRepository } from './tool-policies.repository.js';
import { ToolPoliciesService } from './tool-policies.service.js';

/** What organizations decide about tools: which are hidden, and which calls must be confirmed. */
@Module({
  providers: [ToolPoliciesRepository, ToolPoliciesService],
  exports: [ToolPoliciesService],
})
export class PoliciesModule {}
