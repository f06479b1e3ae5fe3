import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { sendJson } from '../http/send-json.js';
import type { Account } from '../accounts/account.js';
import { SERVER_INFO } from '../mcp/server-info.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { openApiDocument } from './document.js';

/** The largest number of cached documents, each of about 450 kB. */
const MOST_CACHED = 10;

/** Describes the HTTP interface to programs that generate clients. */
@Controller('api/openapi.json')
@UseGuards(OriginGuard, SessionGuard)
export class OpenApiController {
  /** The documents of organizations that hide the same tools. A document takes 3 ms. */
  private readonly documents = new LRUCache<string, Buffer, Account['toolPolicies']>({
    max: MOST_CACHED,
    memoMethod: (_key, _stale, { context }) => {
      const document = openApiDocument(this.tools.list('dashboard', context), SERVER_INFO.version);
      return Buffer.from(JSON.stringify(document));
    },
  });

  constructor(
    private readonly tools: ToolRegistry,
    private readonly limiter: RateLimiter,
  ) {}

  /** Describes the tools that the organization of the signed-in person does not hide. */
  @Get()
  describe(@Req() request: Request, @Res() response: Response): void {
    const { organizationId, toolPolicies } = accountOf(request);
    this.limiter.consume(organizationId, 1);
    sendJson(response, 200, this.documents.memo(toolPolicies.listKey, { context: toolPolicies }));
  }
}
