import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { SERVER_INFO } from '../mcp/server-info.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { openApiDocument } from './document.js';

/** Describes the HTTP interface to programs that generate clients. */
@Controller('api/openapi.json')
@UseGuards(OriginGuard, SessionGuard)
export class OpenApiController {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly limiter: RateLimiter,
  ) {}

  /** Describes the tools that the organization of the signed-in person does not hide. */
  @Get()
  describe(@Req() request: Request): object {
    const { organizationId, toolPolicies } = accountOf(request);
    this.limiter.consume(organizationId, 1);
    return openApiDocument(this.tools.list('dashboard', toolPolicies), SERVER_INFO.version);
  }
}
