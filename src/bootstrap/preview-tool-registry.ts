import 'reflect-metadata';
import {
  DiscoveryService,
  ExternalContextCreator,
  MetadataScanner,
  ModulesContainer,
  NestFactory,
} from '@nestjs/core';
import { CallRecorder } from '../accounts/call-recorder.js';
import { loadEnv } from '../config/load-env.js';
import { DatabaseAccess } from '../database/setup/database-access.js';
import { ToolPipeline } from '../tools/pipeline/tool-pipeline.js';
import { DecoratedMethods } from '../tools/registry/decorated-methods.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { AppModule, type Extensions } from './app.module.js';

/** Returns a registry whose tools can be read but not called. A Nest preview makes no instances and needs no database. */
export async function previewToolRegistry({
  modules,
  entities,
}: Extensions = {}): Promise<ToolRegistry> {
  const env = loadEnv({});
  const app = await NestFactory.createApplicationContext(
    AppModule.forRoot({
      env,
      // A preview connects to no database.
      access: new DatabaseAccess(),
      onDatabaseError: () => undefined,
      modules,
      entities,
    }),
    { preview: true, logger: false, abortOnError: false },
  );
  const methods = new DecoratedMethods(
    new DiscoveryService(app.get(ModulesContainer)),
    new MetadataScanner(),
    app.get(ExternalContextCreator),
  );
  const registry = new ToolRegistry(
    methods,
    app.get(ToolPipeline, { strict: false }),
    env,
    app.get(CallRecorder, { strict: false }),
  );
  registry.onModuleInit();
  return registry;
}
