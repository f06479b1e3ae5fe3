import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CrossSiteDownloadGuard } from '../accounts/cross-site-download.guard.js';
import { CrossSiteGuard } from '../accounts/cross-site.guard.js';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { abandonUpload, readUpload } from '../files/upload-body.js';
import type { TakeTurn } from '../http/body-chunks.js';
import { allowUpload } from '../http/body-times.js';
import { CallTurns } from '../http/call-turns.js';
import { OpenDownloads } from '../http/open-downloads.js';
import { OriginGuard } from '../http/origin.guard.js';
import { pathId } from '../http/path-id.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { renewAccess } from '../http/request-access.js';
import { CallerGuard } from '../keys/caller.guard.js';
import { RequestCallers } from '../keys/request-callers.js';
import { ImportUploadsService } from './import-uploads.service.js';
import { ImportResult, ImportView } from './import.results.js';
import { ImportsService } from './imports.service.js';
import { OpenUploads } from './open-uploads.js';
import { sendCsv } from './send-csv.js';
import { CSV_TYPES, parseUploadQuery } from './upload-body.js';

/** Receives uploads of files with contacts, and returns the rows that were not imported. */
@Controller('api/imports')
@UseGuards(OriginGuard, CrossSiteGuard, CallerGuard)
export class ImportsController {
  constructor(
    private readonly uploads: ImportUploadsService,
    private readonly open: OpenUploads,
    private readonly downloads: OpenDownloads,
    private readonly imports: ImportsService,
    private readonly callers: RequestCallers,
    private readonly limiter: RateLimiter,
    private readonly turns: CallTurns,
  ) {}

  @Post()
  @HttpCode(201)
  async upload(
    @Req() request: Request,
    @Query() query: Record<string, unknown>,
  ): Promise<ImportResult> {
    // Only callers that may call create_contact can upload, because an upload creates contacts.
    const caller = this.callers.get(request, 'create_contact');
    this.limiter.consume(caller.organizationId, 1);
    const facts = parseUploadQuery(query);
    try {
      const job = await this.open.use(caller.organizationId, async () => {
        allowUpload(request);
        const { name, bytes } = await readUpload(request, CSV_TYPES);
        const uploader = { ...caller, origin: readRequestOrigin(request) };
        const given = { ...facts, name: facts.name ?? name ?? 'contacts.csv' };
        return await this.uploads.upload(uploader, bytes, given, async (size) => {
          await this.turns.takeForBody(caller.organizationId, size);
          // The upload may have waited for its turn for seconds, in which the key may have been revoked.
          await renewAccess(request);
        });
      });
      return {
        import: ImportView.withDetails(job, await this.imports.suggestFor(job), []),
      };
    } catch (error) {
      abandonUpload(request);
      throw error;
    }
  }

  @Get(':id/rejected.csv')
  @UseGuards(CrossSiteDownloadGuard)
  async rejected(
    @Req() request: Request,
    @Param('id', pathId('import')) id: string,
    @Res() response: Response,
  ): Promise<void> {
    // The rows have fields of contacts, as search_contacts returns them, and get_import shows the first rows. So the
    // caller must be allowed to call both tools.
    const tools = ['search_contacts', 'get_import'] as const;
    const caller = this.callers.get(request, ...tools);
    // No list of a key can have get_import. The rows have all columns of the file, also columns that are no field of a
    // contact. So a key with a list must be allowed to upload such files.
    if (caller.restriction?.tools) this.callers.get(request, 'create_contact');
    const { organizationId } = caller;
    this.limiter.consume(organizationId, 1);
    await this.downloads.use(organizationId, async () => {
      const origin = readRequestOrigin(request);
      const takeTurn: TakeTurn = (bytes) => this.turns.takeForPart(organizationId, bytes);
      const { name, lines } = await this.imports.rejectedRows(caller, origin, id, takeTurn);
      await sendCsv(response, caller, `rejected-${name}`, lines);
    });
  }
}
