import { Controller, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { CrossSiteGuard } from '../accounts/cross-site.guard.js';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { CallerGuard } from '../keys/caller.guard.js';
import { RequestCallers } from '../keys/request-callers.js';
import { safeName } from './file-name.js';
import { FileResult, FileView } from './file.results.js';
import { abandonUpload, readUpload } from './upload-body.js';
import { UploadsService } from './uploads.service.js';

/** Receives uploads of files that messages send. */
@Controller('api/files')
@UseGuards(OriginGuard, CrossSiteGuard, CallerGuard)
export class UploadsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly callers: RequestCallers,
    private readonly limiter: RateLimiter,
  ) {}

  @Post()
  @HttpCode(201)
  async upload(@Req() request: Request, @Query('name') given: unknown): Promise<FileResult> {
    const caller = this.callers.get(request, 'send_message');
    this.limiter.consume(caller.organizationId, 1);
    try {
      const { name = 'file', contentType, bytes } = await readUpload(request);
      const chosen = typeof given === 'string' ? safeName(given) : '';
      const uploader = { ...caller, origin: readRequestOrigin(request) };
      const facts = { name: chosen || name, contentType };
      return { file: FileView.of(await this.uploads.upload(uploader, bytes, facts)) };
    } catch (error) {
      abandonUpload(request);
      throw error;
    }
  }
}
