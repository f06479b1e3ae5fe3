import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { OriginGuard } from '../http/origin.guard.js';
import { previewPage, sendPreview } from './preview-page.js';
import { TemplatePreviewsService } from './template-previews.service.js';

const LONGEST_ID = 64;

/** Shows templates as pages that can do nothing, for the frame of the dashboard. */
@Controller('api/templates')
@UseGuards(OriginGuard, SessionGuard)
export class TemplatePreviewController {
  constructor(
    private readonly previews: TemplatePreviewsService,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Shows the e-mail of the saved draft, with samples for its variables. */
  @Get(':id/preview')
  async preview(
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
    @Query('locale') locale?: unknown,
    @Query('contact_id') contactId?: unknown,
  ): Promise<void> {
    const { organizationId } = accountOf(request);
    if (!isId(id)) throw AppError.notFound('template');
    const shown = await this.tenants.transaction(
      organizationId,
      () =>
        this.previews.preview(organizationId, {
          templateId: id,
          ...(isId(locale) && { locale }),
          ...(isId(contactId) && { contactId }),
        }),
      { readOnly: true },
    );
    const { subject = '', html, text = '' } = shown.email ?? { text: shown.sms?.text };
    sendPreview(response, html ?? previewPage(subject, text));
  }
}

/** PostgreSQL can store no U+0000, so no id has it. */
function isId(given: unknown): given is string {
  return (
    typeof given === 'string' && given !== '' && given.length <= LONGEST_ID && !given.includes('\0')
  );
}
