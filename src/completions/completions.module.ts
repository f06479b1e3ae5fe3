import { Module } from '@nestjs/common';
import { PromptsModule } from '../prompts/prompts.module.js';
import { ResourcesModule } from '../resources/resources.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { CompletionRegistry } from './completion-registry.js';

@Module({
  imports: [ToolsModule, PromptsModule, ResourcesModule],
  providers: [CompletionRegistry],
  exports: [CompletionRegistry],
})
export class CompletionsModule {}
