import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { apiKeyOf, BearerGuard } from './bearer.guard.js';
import { type CurrentKeyView, KeysService } from './keys.service.js';

/** Describes an API key to the client that has it, so that the client can say why a call is refused. */
@Controller('api/mcp/keys/current')
@UseGuards(OriginGuard, BearerGuard)
export class CurrentKeyController {
  constructor(
    private readonly keys: KeysService,
    private readonly limiter: RateLimiter,
  ) {}

  @Get()
  async describe(@Req() request: Request): Promise<{ key: CurrentKeyView }> {
    const key = apiKeyOf(request);
    this.limiter.consume(key.organizationId, 1);
    return { key: await this.keys.describeCurrent(key) };
  }
}
