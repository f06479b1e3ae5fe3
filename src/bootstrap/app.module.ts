import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { Env } from '../config/env.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { DatabaseModule } from '../database/database.module.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import type { MigrationClass } from '../database/setup/migrate-extensions.js';
import { EventsModule } from '../events/events.module.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { FailpointsModule } from '../failpoints/failpoints.module.js';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { McpModule } from '../mcp/mcp.module.js';
import { MessagingModule } from '../messaging/messaging.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { RetentionModule } from '../retention/retention.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { ENTITIES } from './entities.js';

export interface AppOptions {
  env: Env;
  access: DatabaseAccess;
  onDatabaseError: (error: Error) => void;
  modules?: Extensions['modules'];
  entities?: Extensions['entities'];
  /** Providers of a test, tools among them. */
  providers?: Provider[];
  /** Those of a test; absent: everything passes. */
  failpoints?: Failpoints;
}

/** What a Switchboard process is made of. The same for every role: workers and HTTP look at `env` before they start. */
@Module({})
export class AppModule {
  static forRoot({
    env,
    access,
    onDatabaseError,
    modules = [],
    entities = [],
    providers = [],
    failpoints = new Failpoints(),
  }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        // First, because routes are tried in this order and nearly every request is for this one.
        McpModule,
        ConfigModule.forRoot(env),
        FailpointsModule.forRoot(failpoints),
        DatabaseModule.forRoot(access, [...ENTITIES, ...entities], onDatabaseError),
        QueueModule.forRoot(env, access),
        ChangesModule.forRoot(access),
        EventsModule,
        HttpModule,
        AccountsModule,
        KeysModule,
        ToolsModule,
        ContactsModule,
        MessagingModule,
        OutboundModule,
        WorkflowsModule,
        RetentionModule,
        OperationsModule,
        ...modules,
      ],
      providers,
    };
  }
}

/** What a team adds to Switchboard, without a change to it. */
export interface Extensions {
  /** Nest modules whose providers may have tools, as one would list them under `imports`. */
  modules?: NonNullable<ModuleMetadata['imports']>;
  /** Entities of the tables that the modules reach through `TenantDatabase`. */
  entities?: EntityTarget<ObjectLiteral>[];
  /** They run at start, after Switchboard's own, oldest first, each in a transaction of its own. */
  migrations?: MigrationClass[];
}
