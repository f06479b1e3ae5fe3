import { All, Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { goneSignal } from '../../http/gone-signal.js';
import { readJsonBody } from '../../http/read-body.js';
import { WEBHOOK_PATH } from './malformed-webhook-path.js';
import type { RunOutcome } from '../runs/run-waiter.service.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';
import type { WebhookRequest } from './webhook-checks.service.js';
import { WebhooksService } from './webhooks.service.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

type Accepted = Partial<RunOutcome> & {
  ok: true;
  runId: string;
  duplicate?: true;
};

/** Taken, but the condition of the workflow does not hold, so there is no run. */
interface Skipped {
  ok: true;
  skipped: true;
}

interface Recorded {
  ok: true;
  deliveryId: string;
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
    const received = await this.webhooks.receive(workflowId, requestOf(request, response));
    response.setHeader('Cache-Control', 'no-store');
    if (received === 'skipped') return { ok: true, skipped: true };
    const { runId, duplicate, outcome } = received;
    if (duplicate || outcome) response.status(200);
    return { ok: true, runId, ...(duplicate && { duplicate }), ...outcome };
  }

  @Post(':workflowId/test')
  @HttpCode(200)
  async test(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Recorded> {
    const deliveryId = await this.webhooks.test(workflowId, requestOf(request, response));
    response.setHeader('Cache-Control', 'no-store');
    return { ok: true, deliveryId };
  }

  @All([':workflowId', ':workflowId/test'])
  refuse(@Res() response: Response): void {
    const error = { code: 'method_not_allowed', message: 'Send the webhook with POST.' };
    response.status(405).setHeader('Allow', 'POST').json({ ok: false, error });
  }
}

function requestOf(request: Request, response: Response): WebhookRequest {
  let body: Promise<Buffer> | undefined;
  return {
    headers: request.headers,
    readBody: () => (body ??= readJsonBody(request, BODY_LIMIT_BYTES)),
    gone: () => goneSignal(response),
  };
}
