import { All, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Env } from '../../config/env.js';
import type { EndReading, TakeTurn } from '../../http/body-chunks.js';
import { clientAddress, networkOf } from '../../http/client-address.js';
import { readLargeBody } from '../../http/large-body.js';
import { goneSignal } from '../../http/signals.js';
import { readRawBody } from '../../http/request-body.js';
import { sendJson } from '../../http/send-json.js';
import { LargeBodySlots, type Slot } from './bodies/large-body-slots.js';
import { SMALL_BODY_BYTES } from './bodies/read-payload.js';
import type { WebhookRequest } from './incoming-delivery.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';
import { sendAnswer } from './send-answer.js';
import { sendError, WEBHOOK_PATH } from './webhook.js';
import { type ReceivedWebhook, WebhooksService } from './webhooks.service.js';

/** Receives webhooks. A sender needs the URL, the secret if the webhook has one, and no API key. */
@Controller(WEBHOOK_PATH)
@UseFilters(WebhookErrorFilter)
export class WebhookController {
  private readonly slots = new LargeBodySlots();

  constructor(
    private readonly env: Env,
    private readonly webhooks: WebhooksService,
  ) {}

  @Post(':workflowId')
  async accept(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const received = await this.withBody(request, response, (given) =>
      this.webhooks.receive(workflowId, given),
    );
    sendReceived(response, received);
  }

  @Post(':workflowId/test')
  async test(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const deliveryId = await this.withBody(request, response, (given) =>
      this.webhooks.test(workflowId, given),
    );
    sendJson(response, 200, JSON.stringify({ ok: true, deliveryId }));
  }

  /** Receives a GET if the workflow accepts it. Refuses every other GET as {@link refuse} does. */
  @Get(':workflowId')
  async acceptGet(
    @Param('workflowId') workflowId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const received =
      // The router handles HEAD as GET, but HEAD must not start a run.
      request.method === 'GET'
        ? await this.webhooks.receiveGet(workflowId, this.requestOf(request, response))
        : undefined;
    if (!received) return this.refuse(response);
    if (received === 'skipped' || !('challenge' in received)) {
      return sendReceived(response, received);
    }
    // Without the content type, a browser could show the challenge as an HTML page.
    response.setHeader('Content-Type', 'text/plain');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.end(received.challenge);
  }

  @All([':workflowId', ':workflowId/test'])
  refuse(@Res() response: Response): void {
    response.setHeader('Allow', 'POST');
    sendError(response, 405, 'method_not_allowed', 'Send the webhook with POST.');
  }

  /**
   * Runs `work`, and then releases the slot of a large body. Without this, refused bodies would keep their slots until
   * their responses are sent. A response waits for all earlier responses of its connection.
   */
  private async withBody<Result>(
    request: Request,
    response: Response,
    work: (given: WebhookRequest) => Promise<Result>,
  ): Promise<Result> {
    const given = this.requestOf(request, response);
    try {
      return await work(given);
    } finally {
      given.release();
    }
  }

  private requestOf(request: Request, response: Response): WebhookRequest {
    const network = (): string => networkOf(clientAddress(request));
    let body: Promise<Buffer> | undefined;
    let slot: Slot | undefined;
    const reserve = (organizationId: string, end?: EndReading): void => {
      if (slot) return;
      slot = this.slots.take(organizationId, end && { network: network(), end });
    };
    const read = (organizationId: string, takeTurn: TakeTurn): Promise<Buffer> =>
      this.readBody(
        request,
        (end) => reserve(organizationId, end),
        (bytes) => {
          slot?.noteArrival();
          return takeTurn(bytes);
        },
      );
    return {
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers: request.headers,
      url: `${this.env.baseUrl}${request.originalUrl}`,
      isLarge: lengthOf(request) > SMALL_BODY_BYTES,
      network,
      reserve: (organizationId) => reserve(organizationId),
      release: () => {
        body = undefined;
        slot?.release();
      },
      readBody: (organizationId, takeTurn) => (body ??= read(organizationId, takeTurn)),
      gone: () => goneSignal(response),
    };
  }

  /**
   * Reads the body. A large body needs a Content-Length. Otherwise every body without this header would have to reserve
   * the memory of a large body.
   */
  private async readBody(
    request: Request,
    reserve: (end: EndReading) => void,
    takeTurn: TakeTurn,
  ): Promise<Buffer> {
    if (request.method === 'GET') return Buffer.alloc(0);
    const { maxPayloadBytes: most } = this.env;
    const length = lengthOf(request);
    if (length <= SMALL_BODY_BYTES) return await readRawBody(request, SMALL_BODY_BYTES, takeTurn);
    if (length > most) return await readRawBody(request, most, takeTurn);
    return await readLargeBody(request, SMALL_BODY_BYTES, reserve, takeTurn);
  }
}

function lengthOf(request: Request): number {
  return Number(request.headers['content-length'] ?? 0);
}

function sendReceived(response: Response, received: ReceivedWebhook): void {
  const answer = received !== 'skipped' && 'answer' in received ? received.answer : undefined;
  if (answer) return sendAnswer(response, answer);
  const { status, body } = bodyOf(received);
  sendJson(response, status, JSON.stringify(body));
}

function bodyOf(received: ReceivedWebhook): { status: number; body: object } {
  if (received === 'skipped') return { status: 202, body: { ok: true, skipped: true } };
  if ('challenge' in received) return { status: 200, body: received };
  const { status, runId, duplicate, outcome } = received;
  const body = { ok: status < 500, runId, ...(duplicate && { duplicate }), ...outcome };
  return { status, body };
}
