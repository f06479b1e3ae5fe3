import { Controller, Delete, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import type { ActingSession } from '../accounts/acting-session.js';
import { CrossSiteGuard } from '../accounts/cross-site.guard.js';
import { CredentialLimits } from '../accounts/credential-limits.js';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { digestOf } from '../accounts/session-store.js';
import { accountOf, SessionGuard } from '../accounts/session.guard.js';
import { CallTurns } from '../http/call-turns.js';
import { OriginGuard } from '../http/origin.guard.js';
import { readBodyIfAny } from '../http/request-body.js';
import { KeyOptionsService } from './key-options.service.js';
import { type ApiKeyView, KeysService } from './keys.service.js';

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Manages the API key of the organization. Only signed-in people may use it, because a key must not be able to create
 * keys.
 */
@Controller('api/mcp/keys')
@UseGuards(OriginGuard, CrossSiteGuard, SessionGuard)
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly options: KeyOptionsService,
    private readonly limits: CredentialLimits,
    private readonly turns: CallTurns,
  ) {}

  @Post()
  async create(@Req() request: Request): Promise<{ api_key: string; message: string }> {
    const { organizationId, userId } = accountOf(request);
    const session = sessionOf(request);
    const body = await readBodyIfAny(request, MAX_BODY_BYTES, (bytes) =>
      this.turns.takeForBody(organizationId, bytes),
    );
    const options = await this.options.parse(organizationId, body);
    await this.limits.countKey(organizationId);
    return {
      api_key: await this.keys.create(organizationId, userId, options, session),
      message: 'Store this key now: it is shown only once. The previous key is revoked.',
    };
  }

  @Get()
  async describe(@Req() request: Request): Promise<{ key: ApiKeyView | null }> {
    return { key: await this.keys.describe(accountOf(request).organizationId) };
  }

  @Delete()
  @HttpCode(204)
  async revoke(@Req() request: Request): Promise<void> {
    const { organizationId, userId } = accountOf(request);
    await this.keys.revoke(organizationId, userId, sessionOf(request));
  }
}

function sessionOf(request: Request): ActingSession {
  return { digest: digestOf(request.sessionID), origin: readRequestOrigin(request) };
}
