import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError } from '../errors/app-error.js';
import { CallTurns } from '../http/call-turns.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { checkAccess } from '../http/request-access.js';
import { parseJsonExactly, readJsonBody } from '../http/request-body.js';
import { sendJson } from '../http/send-json.js';
import { apiKeyOf, BearerGuard } from '../keys/bearer.guard.js';
import { RequestCallers } from '../keys/request-callers.js';
import { SILENT_CALLER } from '../tools/contract/tool-call.js';
import type { RegisteredTool } from '../tools/registry/registered-tool.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { toolForKey } from '../tools/tool-routes.js';

const MAX_BODY_BYTES = 1024 * 1024;
const TOOL = 'emit_event';

/**
 * Emits events for programs that have the API key and speak neither JSON-RPC nor MCP. This endpoint calls the tool
 * `emit_event`.
 */
@Controller('api/events')
@UseGuards(OriginGuard, BearerGuard)
export class CustomEventsController {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly limiter: RateLimiter,
    private readonly turns: CallTurns,
    private readonly callers: RequestCallers,
  ) {}

  @Post()
  async emit(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { id, organizationId, origin } = apiKeyOf(request);
    const caller = { organizationId, origin, actor: { kind: 'key', id } as const };
    try {
      this.limiter.consume(organizationId, 1);
    } catch (error) {
      throw this.callers.recordRefusal(caller, TOOL, error as AppError);
    }
    const tool = checkAccess(request, () => this.findTool(request, caller));
    await this.turns.take(organizationId);
    const sent = await readJsonBody(request, MAX_BODY_BYTES, (bytes) =>
      this.turns.takeForBody(organizationId, bytes),
    );
    const body = parseJsonExactly(sent);
    // The key may have been looked up again after the body, with new policies.
    const { toolPolicies } = apiKeyOf(request);
    const confirmation = toolPolicies.confirmation(...tool.names);
    const result = await this.registry.call(tool, withKey(body, request), {
      ...SILENT_CALLER,
      ...caller,
      surface: 'agent',
      confirmation: confirmation === 'never' ? undefined : confirmation,
      restriction: toolPolicies.restriction,
      signal: new AbortController().signal,
    });
    sendJson(response, 202, JSON.stringify(result));
  }

  /** Returns the tool that emits events. When the key may not call this tool, records the refused call and throws. */
  private findTool(
    request: Request,
    caller: Parameters<RequestCallers['recordRefusal']>[0],
  ): RegisteredTool {
    try {
      return toolForKey(apiKeyOf(request).toolPolicies, this.registry, TOOL);
    } catch (error) {
      throw this.callers.recordRefusal(caller, TOOL, error as AppError);
    }
  }
}

/** Adds the key of the header `Idempotency-Key`, unless the body has one. */
function withKey(body: unknown, request: Request): unknown {
  const header = request.headers['idempotency-key'];
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (header === undefined || !isObject || Object.hasOwn(body, 'idempotency_key')) return body;
  return { ...body, idempotency_key: header };
}
