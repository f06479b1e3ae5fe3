import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { ResourceRegistry } from './resource-registry.js';

@Module({ imports: [ToolsModule], providers: [ResourceRegistry], exports: [ResourceRegistry] })
export class ResourcesModule {}
