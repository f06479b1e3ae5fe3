import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { OpenDownloads, sendParts } from '../http/open-downloads.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { accountFor } from '../tools/tool-routes.js';
import { attachment } from './file-name.js';
import { FilesService } from './files.service.js';

/** Lets people save the files of their runs. */
@Controller('api/files')
@UseGuards(OriginGuard, SessionGuard)
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly registry: ToolRegistry,
    private readonly limiter: RateLimiter,
    private readonly downloads: OpenDownloads,
  ) {}

  /** Sends a file as a download. Another system made the file, so no browser may show it as a page of this service. */
  @Get(':id')
  async download(
    @Req() request: Request,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { organizationId } = accountOf(request);
    this.limiter.consume(organizationId, 1);
    await this.downloads.use(organizationId, async () => {
      const file = await this.files.get(organizationId, id);
      // get_run shows the ids of files of runs. get_message shows the ids of all other files: uploads, and copies for
      // messages.
      accountFor(request, this.registry, file.runId === null ? 'get_message' : 'get_run');
      response
        .setHeader('Content-Type', 'application/octet-stream')
        .setHeader('Content-Disposition', attachment(file.name))
        .setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
        .setHeader('Content-Length', file.size);
      // For a slow browser, only one part is in memory, and no connection to the database is occupied.
      await sendParts(response, this.files.chunks(file));
    });
  }
}
