import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { ResourceRegistry } from './resource-registry.js';

/** Provides the registry of resources. */
@Module({ imports: [ToolsModule], providers: [ResourceRegistry], exports: [ResourceRegistry] })
export class ResourcesModule {}
