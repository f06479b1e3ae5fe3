import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionGuard } from '../accounts/session.guard.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { pathId } from '../http/path-id.js';
import { MessagesService } from './messages.service.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { accountFor } from '../tools/tool-routes.js';
import { hidePermissionSignatures } from '../text/permission-signature.js';
import { previewPage, sendPreview } from './preview-page.js';

/** Shows messages as pages without scripts, forms and working links, for the frame of the dashboard. */
@Controller('api/messages')
@UseGuards(OriginGuard, SessionGuard)
export class MessagePreviewController {
  constructor(
    private readonly messages: MessagesService,
    private readonly tenants: TenantDatabase,
    private readonly registry: ToolRegistry,
    private readonly limiter: RateLimiter,
  ) {}

  @Get(':id/preview')
  async preview(
    @Req() request: Request,
    @Param('id', pathId('message')) id: string,
    @Res() response: Response,
  ): Promise<void> {
    const { organizationId } = accountFor(request, this.registry, 'get_message');
    this.limiter.consume(organizationId, 1);
    const message = await this.tenants.transaction(
      organizationId,
      () => this.messages.get(organizationId, id),
      { readOnly: true },
    );
    const page = message.html ?? previewPage(message.subject ?? '', message.body);
    sendPreview(response, hidePermissionSignatures(page));
  }
}
