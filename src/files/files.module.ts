import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SessionMiddleware } from '../accounts/sessions.js';
import { FilesController } from './files.controller.js';
import { FilesRepository } from './files.repository.js';
import { FilesService } from './files.service.js';
import { RunFilesService } from './run-files.service.js';

/** Keeps the files that steps receive from other systems, and large payloads of runs. */
@Module({
  imports: [AccountsModule],
  controllers: [FilesController],
  providers: [FilesRepository, FilesService, RunFilesService],
  exports: [FilesService, RunFilesService],
})
export class FilesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SessionMiddleware).forRoutes(FilesController);
  }
}
