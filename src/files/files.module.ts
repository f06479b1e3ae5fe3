import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { KeysModule } from '../keys/keys.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { FilesController } from './files.controller.js';
import { FilesRepository } from './files.repository.js';
import { FilesService } from './files.service.js';
import { RunFilesService } from './run-files.service.js';
import { UploadRetention } from './upload-retention.js';
import { UploadsController } from './uploads.controller.js';
import { UploadsRepository } from './uploads.repository.js';
import { UploadsService } from './uploads.service.js';

/** Keeps the files that steps receive from other systems, large payloads of runs, and uploads. */
@Module({
  imports: [AccountsModule, KeysModule, ToolsModule],
  controllers: [FilesController, UploadsController],
  providers: [
    FilesRepository,
    FilesService,
    RunFilesService,
    UploadRetention,
    UploadsRepository,
    UploadsService,
  ],
  exports: [FilesService, RunFilesService],
})
export class FilesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(FilesController, UploadsController);
  }
}
