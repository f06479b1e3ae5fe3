import { All, Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readJsonBody } from '../http/read-body.js';
import { WEBHOOK_PATH } from './malformed-webhook-path.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';
import { WebhooksService } from './webhooks.service.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

interface Accepted {
  ok: true;
  runId: string;
  duplicate?: true;
}

/** Taken, but the condition of the workflow does not hold, so there is no run. */
interface Skipped {
  ok: true;
  skipped: true;
}

/** Where other systems start workflows. The URL, or the secret if there is one, is all that they need to know. */
@Controller(WEBHOOK_PATH)
@UseFilters(WebhookErrorFilter)
export class WebhookController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post(':workflowId')
  @HttpCode(202)
  async accept(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Accepted | Skipped> {
    // The body is read only once the workflow is known: nobody else can make this process hold a megabyte.
    const webhook = await this.webhooks.open(workflowId);
    const body = await readJsonBody(request, BODY_LIMIT_BYTES);
    const accepted = await this.webhooks.accept(webhook, body, request.headers);
    response.setHeader('Cache-Control', 'no-store');
    if (accepted === 'skipped') return { ok: true, skipped: true };
    const { runId, duplicate } = accepted;
    if (!duplicate) return { ok: true, runId };
    response.status(200);
    return { ok: true, runId, duplicate: true };
  }

  @All(':workflowId')
  refuse(@Res() response: Response): void {
    const error = { code: 'method_not_allowed', message: 'Send the webhook with POST.' };
    response.status(405).setHeader('Allow', 'POST').json({ ok: false, error });
  }
}
