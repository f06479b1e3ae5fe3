import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { OriginGuard } from '../http/origin.guard.js';
import { MessagesService } from './messages.service.js';
import { previewPage } from './preview-page.js';

/**
 * Allows inline styles and images that are part of the message. `sandbox` gives the page an origin of its own and stops
 * scripts, forms and links that open windows, also when a browser opens the address outside of the frame.
 */
const CONTENT_SECURITY_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Shows messages as pages that can do nothing, for the frame of the dashboard. */
@Controller('api/messages')
@UseGuards(OriginGuard, SessionGuard)
export class MessagePreviewController {
  constructor(
    private readonly messages: MessagesService,
    private readonly tenants: TenantDatabase,
  ) {}

  @Get(':id/preview')
  async preview(
    @Req() request: Request,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { organizationId } = accountOf(request);
    // PostgreSQL can store no U+0000, so no message has it.
    if (id.includes('\0')) throw AppError.notFound('message');
    const message = await this.tenants.transaction(
      organizationId,
      () => this.messages.get(organizationId, id),
      { readOnly: true },
    );
    response
      .setHeader('Content-Type', 'text/html; charset=utf-8')
      .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      .setHeader('X-DNS-Prefetch-Control', 'off')
      .end(message.html ?? previewPage(message.subject ?? '', message.body));
  }
}
