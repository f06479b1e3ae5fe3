import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChangeStreamsModule } from '../change-streams/change-streams.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { Env } from '../config/env.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { CustomEventsModule } from '../custom-events/custom-events.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { DatabaseAccess } from '../database/setup/database-access.js';
import type { MigrationClass } from '../database/setup/migrate-extensions.js';
import { EventsModule } from '../events/events.module.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { FilesModule } from '../files/files.module.js';
import { HttpModule } from '../http/http.module.js';
import { SecurityModule } from '../security/security.module.js';
import { ImportsModule } from '../imports/imports.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { McpModule } from '../mcp/mcp.module.js';
import { MessagingModule } from '../messaging/messaging.module.js';
import { OpenApiModule } from '../openapi/open-api.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { PermissionModule } from '../permission/permission.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { SegmentsModule } from '../segments/segments.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { RetentionModule } from '../retention/retention.module.js';
import { SendersModule } from '../senders/senders.module.js';
import { TemplatePreviewsModule } from '../messaging/template-previews.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { ENTITIES } from './entities.js';

export interface AppOptions extends Pick<Extensions, 'modules' | 'entities'> {
  env: Env;
  access: DatabaseAccess;
  onDatabaseError: (error: Error) => void;
  /** The providers that a test adds. They may have tools. */
  providers?: Provider[];
  /** The failpoints that a test sets. When absent, execution never stops. */
  failpoints?: Failpoints;
}

@Module({})
class ProcessModule {}

/**
 * Composes a Switchboard process. Every process has the same modules. Settings in `env` decide whether the workers and
 * the HTTP server start in this process.
 */
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
        // McpModule is first, because Express tries routes in this order and most requests come from agents.
        McpModule,
        {
          module: ProcessModule,
          global: true,
          providers: [
            { provide: Env, useValue: env },
            { provide: DatabaseAccess, useValue: access },
            { provide: Failpoints, useValue: failpoints },
          ],
          exports: [Env, DatabaseAccess, Failpoints],
        },
        DatabaseModule.forRoot(access, [...ENTITIES, ...entities], onDatabaseError),
        QueueModule.forRoot(env, access),
        ChangesModule,
        EventsModule,
        SecurityModule,
        HttpModule,
        AccountsModule,
        KeysModule,
        ToolsModule,
        ChangeStreamsModule,
        AuditModule,
        ChannelsModule,
        ContactsModule,
        ImportsModule,
        CustomEventsModule,
        SegmentsModule,
        SendersModule,
        TemplatePreviewsModule,
        TemplatesModule,
        TopicsModule,
        MessagingModule,
        PermissionModule,
        SecretsModule,
        FilesModule,
        OutboundModule,
        WorkflowsModule,
        RetentionModule,
        QuotasModule,
        OpenApiModule,
        OperationsModule,
        ...modules,
      ],
      providers,
    };
  }
}

/** The providers and modules that a team adds to Switchboard. */
export interface Extensions {
  /** The Nest modules to import. Their providers may have tools. */
  modules?: NonNullable<ModuleMetadata['imports']>;
  /** The entities of the tables that the modules use through `TenantDatabase`. */
  entities?: EntityTarget<ObjectLiteral>[];
  /**
   * The migrations, oldest first. They run at start, after the migrations of Switchboard, each in its own transaction.
   */
  migrations?: MigrationClass[];
}
