import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionGuard } from '../accounts/session.guard.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { isJsonObject } from '../text/is-json-object.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { accountFor } from '../tools/tool-routes.js';
import { previewPage, sendPreview } from './preview-page.js';
import { TemplatePreviewsService } from './template-previews.service.js';

const LONGEST_ID = 64;
/** The largest number of characters of the variables. They are part of the headers, of which Node.js accepts 16 KiB. */
const LONGEST_VARIABLES = 8000;

/** Shows templates as pages without scripts, forms and working links, for the frame of the dashboard. */
@Controller('api/templates')
@UseGuards(OriginGuard, SessionGuard)
export class TemplatePreviewController {
  constructor(
    private readonly previews: TemplatePreviewsService,
    private readonly tenants: TenantDatabase,
    private readonly registry: ToolRegistry,
    private readonly limiter: RateLimiter,
  ) {}

  /** Shows the e-mail of the saved draft. `variables` is a JSON object; variables without a value get a sample. */
  @Get(':id/preview')
  async preview(
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
    @Query('locale') locale?: unknown,
    @Query('contact_id') contactId?: unknown,
    @Query('variables') variables?: unknown,
  ): Promise<void> {
    const { organizationId } = accountFor(request, this.registry, 'preview_template');
    if (!isId(id)) throw AppError.notFound('template');
    const values = readVariables(variables);
    this.limiter.consume(organizationId, 1);
    const shown = await this.tenants.transaction(
      organizationId,
      () =>
        this.previews.preview(organizationId, {
          templateId: id,
          ...(isId(locale) && { locale }),
          ...(isId(contactId) && { contactId }),
          ...(values && { variables: values }),
        }),
      { readOnly: true },
    );
    const { subject = '', html, text = '' } = shown.email ?? { text: shown.sms?.text };
    sendPreview(response, html ?? previewPage(subject, text));
  }
}

/**
 * Returns the variables in the query, or undefined when the parameter is absent. Throws `invalid_arguments` for a text
 * that is not a JSON object.
 */
function readVariables(given: unknown): object | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given.length <= LONGEST_VARIABLES) {
    try {
      const values: unknown = JSON.parse(given);
      if (isJsonObject(values)) return values;
    } catch {
      // The syntax error is ignored, because the error below says what is allowed.
    }
  }
  throw AppError.invalidField(
    'variables',
    `must be a JSON object of at most ${LONGEST_VARIABLES} characters`,
  );
}

/** Returns false for a text that cannot be an id. PostgreSQL can store no U+0000, so no id contains it. */
function isId(given: unknown): given is string {
  return (
    typeof given === 'string' && given !== '' && given.length <= LONGEST_ID && !given.includes('\0')
  );
}
