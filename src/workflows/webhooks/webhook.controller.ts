import { All, Controller, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { goneSignal } from '../../http/signals.js';
import { readJsonBody } from '../../http/request-body.js';
import { sendJson } from '../../http/send-json.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';
import type { WebhookRequest } from './webhook-checks.service.js';
import { sendError, WEBHOOK_PATH } from './webhook.js';
import { type ReceivedWebhook, WebhooksService } from './webhooks.service.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

/** Receives webhooks. A sender needs the URL, the secret if the webhook has one, and no API key. */
@Controller(WEBHOOK_PATH)
@UseFilters(WebhookErrorFilter)
export class WebhookController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post(':workflowId')
  async accept(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const received = await this.webhooks.receive(workflowId, requestOf(request, response));
    const { status, answer } = answerTo(received);
    sendJson(response, status, JSON.stringify(answer));
  }

  @Post(':workflowId/test')
  async test(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const deliveryId = await this.webhooks.test(workflowId, requestOf(request, response));
    sendJson(response, 200, JSON.stringify({ ok: true, deliveryId }));
  }

  @All([':workflowId', ':workflowId/test'])
  refuse(@Res() response: Response): void {
    response.setHeader('Allow', 'POST');
    sendError(response, 405, 'method_not_allowed', 'Send the webhook with POST.');
  }
}

function answerTo(received: ReceivedWebhook): { status: number; answer: object } {
  if (received === 'skipped') return { status: 202, answer: { ok: true, skipped: true } };
  const { runId, duplicate, outcome } = received;
  const answer = { ok: true, runId, ...(duplicate && { duplicate }), ...outcome };
  return { status: duplicate || outcome ? 200 : 202, answer };
}

function requestOf(request: Request, response: Response): WebhookRequest {
  let body: Promise<Buffer> | undefined;
  return {
    headers: request.headers,
    readBody: () => (body ??= readJsonBody(request, BODY_LIMIT_BYTES)),
    gone: () => goneSignal(response),
  };
}
