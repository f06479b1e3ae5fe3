import { Module } from '@nestjs/common';
import { FilesModule } from '../../files/files.module.js';
import { LargePayloadsService } from './large-payloads.service.js';

/** Keeps payloads of more than 1 MiB, where an operator allows them. */
@Module({
  imports: [FilesModule],
  providers: [LargePayloadsService],
  exports: [LargePayloadsService],
})
export class PayloadsModule {}
