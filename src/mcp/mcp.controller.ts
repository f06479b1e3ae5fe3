import { All, Controller, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OriginGuard } from '../http/origin.guard.js';
import { parseJson } from '../http/parse-json.js';
import { readJsonBody } from '../http/read-body.js';
import { apiKeyOf } from '../keys/authenticated-key.js';
import { BearerGuard } from '../keys/bearer.guard.js';
import { encodeError, JsonRpcError, METHOD_NOT_ALLOWED } from './json-rpc-error.js';
import { McpExceptionFilter } from './mcp-exception.filter.js';
import { McpService } from './mcp.service.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { sendJson } from './send-json.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** The endpoint for agents. It reads the body itself, so that nothing of it is looked at before the guards agree. */
@Controller('api/mcp')
@UseGuards(OriginGuard, BearerGuard, RateLimitGuard)
@UseFilters(McpExceptionFilter)
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @All()
  async handle(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (request.method !== 'POST') {
      response.setHeader('Allow', 'POST');
      const error = new JsonRpcError(METHOD_NOT_ALLOWED, 'Only POST is allowed here.');
      sendJson(response, 405, encodeError(null, error));
      return;
    }
    const message = parseJson(await readJsonBody(request, MAX_BODY_BYTES));
    const version = request.get('mcp-protocol-version')?.trim();
    const { status, body } = await this.mcp.answer(message, version, apiKeyOf(request));
    sendJson(response, status, body);
  }
}
