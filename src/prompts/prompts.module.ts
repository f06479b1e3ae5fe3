import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { PromptRegistry } from './prompt-registry.js';

/** Messages for a model that people ask for by name. */
@Module({ imports: [ToolsModule], providers: [PromptRegistry], exports: [PromptRegistry] })
export class PromptsModule {}
