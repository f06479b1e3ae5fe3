import { Controller, Get, Header, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { CrossSiteGuard } from '../accounts/cross-site.guard.js';
import { accountOf, SessionGuard } from '../accounts/session.guard.js';
import { AppError } from '../errors/app-error.js';
import { readBodyIfAny } from '../http/json-body.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { didYouMean } from './nearest-names.js';
import type { ToolDescriptor } from './registered-tool.js';
import { SILENT_CALLER } from './silent-caller.js';
import { ToolRegistry } from './tool-registry.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** The tools as actions of a signed-in person. */
@Controller('api/tools')
@UseGuards(OriginGuard, CrossSiteGuard, SessionGuard)
export class ToolsController {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly limiter: RateLimiter,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  list(): { tools: ToolDescriptor[] } {
    return { tools: this.registry.list('dashboard') };
  }

  @Post(':name')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async call(@Param('name') name: string, @Req() request: Request): Promise<object> {
    const { organizationId, userId } = accountOf(request);
    this.limiter.consume(organizationId, 1);
    const tool = this.registry.find(name, 'dashboard');
    if (!tool) {
      const known = this.registry.list('dashboard').map((descriptor) => descriptor.name);
      throw new AppError('not_found', `Unknown tool.${didYouMean(name, known)}`);
    }
    const given = await readBodyIfAny(request, MAX_BODY_BYTES);
    return await this.registry.call(tool, given, {
      ...SILENT_CALLER,
      organizationId,
      surface: 'dashboard',
      actor: { kind: 'user', id: userId },
      signal: new AbortController().signal,
    });
  }
}
