import { type DynamicModule, Module } from '@nestjs/common';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import { NotificationSender } from '../database/notifications/notification-sender.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { ChangeFeed } from './change-feed.js';

/** Provides the feed by which processes learn of changes that others made. */
@Module({})
export class ChangesModule {
  static forRoot(access: DatabaseAccess): DynamicModule {
    return {
      module: ChangesModule,
      global: true,
      providers: [
        {
          provide: ChangeFeed,
          inject: [NotificationSender, TenantDatabase],
          useFactory: (sender: NotificationSender, tenants: TenantDatabase) =>
            new ChangeFeed(sender, tenants, access),
        },
      ],
      exports: [ChangeFeed],
    };
  }
}
