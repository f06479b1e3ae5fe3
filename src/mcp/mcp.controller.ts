import { All, Controller, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallTurns } from '../http/call-turns.js';
import { clientAddress } from '../http/client-address.js';
import { OriginGuard } from '../http/origin.guard.js';
import { parseJson, readJsonBody } from '../http/request-body.js';
import { sendJson } from '../http/send-json.js';
import { goneSignal } from '../http/signals.js';
import { apiKeyOf, BearerGuard } from '../keys/bearer.guard.js';
import { KeysService } from '../keys/keys.service.js';
import { signatureMask } from '../policies/hidden-signatures.js';
import { clientNameOf, userAgentOf } from './client-name.js';
import { EventStream, acceptsEvents } from './event-stream.js';
import { JsonRpcError, METHOD_NOT_ALLOWED, encodeError } from './json-rpc-error.js';
import { McpExceptionFilter } from './mcp-exception.filter.js';
import { type McpHeaders, mcpHeadersOf, unreadableId } from './mcp-headers.js';
import { McpService } from './mcp.service.js';
import { RateLimitGuard } from './rate-limit.guard.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** Serves agents. The controller reads the body itself, so that no byte is read before the guards allow it. */
@Controller('api/mcp')
@UseGuards(OriginGuard, BearerGuard, RateLimitGuard)
@UseFilters(McpExceptionFilter)
export class McpController {
  constructor(
    private readonly mcp: McpService,
    private readonly keys: KeysService,
    private readonly turns: CallTurns,
  ) {}

  @All()
  async handle(@Req() request: Request, @Res() response: Response): Promise<void> {
    const headers = mcpHeadersOf(request.headers);
    if (request.method !== 'POST') {
      response.setHeader('Allow', 'POST');
      const error = new JsonRpcError(METHOD_NOT_ALLOWED, 'Only POST is allowed here.');
      sendJson(response, 405, encodeError(unreadableId(headers.version), error));
      return;
    }
    const message = await this.readMessage(request);
    // The key may have been looked up again after the body, so it is read only now.
    const key = apiKeyOf(request);
    const mask = signatureMask(key.toolPolicies.restriction);
    const stream = acceptsStream(request, headers) ? new EventStream(response, mask) : undefined;
    const gone = (): AbortSignal => goneSignal(response);
    const caller = { key, headers, gone, stream };
    const { status, body } = await this.mcp.answer(message, caller);
    if (stream?.isOpen) stream.end(body?.toString());
    else if (!response.destroyed) sendJson(response, status, body);
  }

  /** Reads the message. Records the use of the key even when the message cannot be read. */
  private async readMessage(request: Request): Promise<unknown> {
    const key = apiKeyOf(request);
    let message: unknown;
    try {
      const body = await readJsonBody(request, MAX_BODY_BYTES, (bytes) =>
        this.turns.takeForBody(key.organizationId, bytes),
      );
      message = parseJson(body);
      return message;
    } finally {
      if (key.isUseStale) {
        this.keys.recordUse(key, {
          address: clientAddress(request),
          agent: userAgentOf(request.headers['user-agent']),
          client: clientNameOf(message),
        });
      }
    }
  }
}

/** Returns true for every `subscriptions/listen`, because its response is always a stream of events. */
function acceptsStream(request: Request, { method }: McpHeaders): boolean {
  return method === 'subscriptions/listen' || acceptsEvents(request.headers.accept);
}
