import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { PromptRegistry } from './prompt-registry.js';

@Module({ imports: [ToolsModule], providers: [PromptRegistry], exports: [PromptRegistry] })
export class PromptsModule {}
