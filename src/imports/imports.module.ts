import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ContactExportController } from './contact-export.controller.js';
import { ContactExportService } from './contact-export.service.js';
import { ImportClaimsRepository } from './import-claims.repository.js';
import { ImportRetention } from './import-retention.js';
import { ImportRowsService } from './import-rows.service.js';
import { ClaimedImportsService } from './claimed-imports.service.js';
import { ImportTools } from './import.tools.js';
import { ImportUploadsService } from './import-uploads.service.js';
import { ImportWorker } from './import.worker.js';
import { ImportsController } from './imports.controller.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';
import { OpenUploads } from './open-uploads.js';

/** Turns uploaded files into contacts, and contacts into files. */
@Module({
  imports: [AccountsModule, ContactsModule, KeysModule, ToolsModule],
  controllers: [ImportsController, ContactExportController],
  providers: [
    ImportTools,
    ImportWorker,
    ImportRetention,
    ImportsService,
    ImportUploadsService,
    OpenUploads,
    ClaimedImportsService,
    ImportRowsService,
    ImportsRepository,
    ImportClaimsRepository,
    ContactExportService,
  ],
})
export class ImportsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(ImportsController, ContactExportController);
  }
}
