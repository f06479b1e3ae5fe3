import { Module } from '@nestjs/common';
import { ToolPoliciesService } from './tool-policies.service.js';

/** Provides the tool policies of organizations: which tools are hidden, and which calls need a confirmation. */
@Module({ providers: [ToolPoliciesService], exports: [ToolPoliciesService] })
export class PoliciesModule {}
