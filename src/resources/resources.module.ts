import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { ResourceRegistry } from './resource-registry.js';

/** What agents can read under a URI. */
@Module({ imports: [ToolsModule], providers: [ResourceRegistry], exports: [ResourceRegistry] })
export class ResourcesModule {}
