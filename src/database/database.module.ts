import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { TlsOptions } from 'node:tls';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { Env } from '../config/env.js';
import { SecurityLog } from '../security/security-log.js';
import { ActiveOrganizations } from './transactions/active-organizations.js';
import { ContextSigner } from './transactions/context-signer.js';
import { ArgumentSigner } from './transactions/argument-signer.js';
import { sessionOptions } from './driver/session-settings.js';
import type { DatabaseAccess } from './setup/database-access.js';
import { GateDatabase } from './gate-database.js';
import { NotificationSender } from './notifications/notification-sender.js';
import { SecretBox } from './secret-box.js';
import { StatementLog } from './statement-log.js';
import { SnakeCaseNaming } from './snake-case-naming.js';
import { TenantDatabase } from './transactions/tenant-database.js';

const TENANT_SOURCE = Symbol('tenant data source');

const CONNECTION = {
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  // The first statements on a new connection take tens of milliseconds, because PostgreSQL reads its catalogs and plans
  // every function anew. So connections stay open while a service is quiet for some minutes.
  idleTimeoutMillis: 10 * 60_000,
};
// No statement of a request may hold a lock or a connection for a long time. The server ends a statement that exceeds
// this limit.
const LIMITS = {
  statement_timeout: 10_000,
  lock_timeout: 5000,
  idle_in_transaction_session_timeout: 30_000,
};
const GATE_POOL_SIZE = 4;

/** Provides access to the database: through the gate, and to the data of one organization at a time. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(TENANT_SOURCE) private readonly source: DataSource,
    private readonly gate: GateDatabase,
    private readonly notifications: NotificationSender,
  ) {}

  static forRoot(
    access: DatabaseAccess,
    entities: EntityTarget<ObjectLiteral>[],
    onError: (error: Error) => void,
  ): DynamicModule {
    const { host, port, database, ssl, hasPooler } = access;
    const optionsOf = (application_name: string) => ({
      ...CONNECTION,
      ...sessionOptions({ application_name, ...LIMITS }, hasPooler),
    });
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: TENANT_SOURCE,
          inject: [Env],
          useFactory: (env: Env) =>
            new DataSource({
              type: 'postgres',
              host,
              port,
              database,
              ssl: ssl as TlsOptions | boolean,
              username: access.tenant.user,
              password: access.tenant.password,
              entities: entities as never[],
              installExtensions: false,
              namingStrategy: new SnakeCaseNaming(),
              poolErrorHandler: onError,
              extra: { ...optionsOf('switchboard'), max: env.databasePoolSize },
            }).initialize(),
        },
        {
          provide: TenantDatabase,
          inject: [TENANT_SOURCE, SecurityLog, ActiveOrganizations, StatementLog],
          useFactory: (
            source: DataSource,
            security: SecurityLog,
            organizations: ActiveOrganizations,
            log: StatementLog,
          ) =>
            new TenantDatabase(
              source,
              new ContextSigner(access.contextKey),
              security,
              organizations,
              log,
            ),
        },
        {
          provide: StatementLog,
          inject: [Env],
          useFactory: (env: Env) => new StatementLog(env.logsDebug),
        },
        {
          provide: GateDatabase,
          inject: [StatementLog],
          useFactory: (log: StatementLog) =>
            new GateDatabase(
              {
                host,
                port,
                database,
                ssl,
                ...access.gate,
                ...optionsOf('switchboard gate'),
                max: GATE_POOL_SIZE,
              },
              onError,
              log,
            ),
        },
        NotificationSender,
        ActiveOrganizations,
        {
          provide: ArgumentSigner,
          useFactory: () => new ArgumentSigner(access.contextKey),
        },
        {
          provide: SecretBox,
          inject: [Env],
          useFactory: (env: Env) =>
            new SecretBox(access.dataKey, env.secretKey, env.otherSecretKey),
        },
      ],
      exports: [
        ActiveOrganizations,
        TenantDatabase,
        GateDatabase,
        NotificationSender,
        SecretBox,
        ArgumentSigner,
      ],
    };
  }

  // The pools are closed in the last phase of a stop, because open requests and running steps need them until then.
  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
    await this.source.destroy();
    await this.gate.pool.end();
  }
}
