import { Module } from '@nestjs/common';
import { ToolPolicySettingsService } from './tool-policy-settings.service.js';

/** Provides the tool policies of organizations: which tools are hidden, and which calls need a confirmation. */
@Module({ providers: [ToolPolicySettingsService], exports: [ToolPolicySettingsService] })
export class PoliciesModule {}
