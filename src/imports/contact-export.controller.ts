import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CrossSiteDownloadGuard } from '../accounts/cross-site-download.guard.js';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { CallTurns } from '../http/call-turns.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { CallerGuard } from '../keys/caller.guard.js';
import { RequestCallers } from '../keys/request-callers.js';
import { ContactExportService } from './contact-export.service.js';
import { sendCsv } from './send-csv.js';

/** Sends all contacts of an organization as CSV. */
@Controller('api/contacts')
@UseGuards(OriginGuard, CrossSiteDownloadGuard, CallerGuard)
export class ContactExportController {
  constructor(
    private readonly contacts: ContactExportService,
    private readonly callers: RequestCallers,
    private readonly limiter: RateLimiter,
    private readonly turns: CallTurns,
  ) {}

  @Get('export.csv')
  async export(@Req() request: Request, @Res() response: Response): Promise<void> {
    const caller = this.callers.get(request, 'search_contacts');
    const { organizationId } = caller;
    this.limiter.consume(organizationId, 1);
    await this.contacts.slots.use(organizationId, async () => {
      await this.contacts.record(caller, readRequestOrigin(request));
      const lines = this.contacts.lines(organizationId, (bytes) =>
        this.turns.takeForPart(organizationId, bytes),
      );
      await sendCsv(response, caller, 'contacts.csv', lines);
    });
  }
}
