import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Req,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import type { Request } from 'express';
import { clientAddress } from '../http/client-address.js';
import { OriginGuard } from '../http/origin.guard.js';
import { pathId } from '../http/path-id.js';
import { type AccountView, PasswordBody, ProfileBody, toAccountView } from './account.js';
import {
  AccountSettingsService,
  type PersonInSession,
  type SessionView,
} from './account-settings.service.js';
import { bodyValidation } from './body-validation.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { readRequestOrigin } from './read-request-origin.js';
import { SessionGuard, accountOf } from './session.guard.js';

/** Lets signed-in people change their name and password, and end their sessions. */
@Controller('api/auth')
@UseGuards(OriginGuard, CrossSiteGuard, SessionGuard)
@UsePipes(bodyValidation())
export class AccountSettingsController {
  constructor(private readonly settings: AccountSettingsService) {}

  @Get('sessions')
  async listSessions(@Req() request: Request): Promise<{ sessions: SessionView[] }> {
    const { sessionID: sessionId } = request;
    return { sessions: await this.settings.listSessions(accountOf(request), sessionId) };
  }

  @Delete('sessions')
  @HttpCode(204)
  endOtherSessions(@Req() request: Request): Promise<void> {
    return this.settings.endOtherSessions(personOf(request));
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  endSession(@Req() request: Request, @Param('id', pathId('session')) id: string): Promise<void> {
    return this.settings.endSession(personOf(request), id);
  }

  @Patch('profile')
  async changeProfile(@Req() request: Request, @Body() body: ProfileBody): Promise<AccountView> {
    return toAccountView(await this.settings.changeName(personOf(request), body.name));
  }

  @Post('password')
  @HttpCode(204)
  changePassword(@Req() request: Request, @Body() body: PasswordBody): Promise<void> {
    return this.settings.changePassword(personOf(request), body);
  }
}

function personOf(request: Request): PersonInSession {
  return {
    account: accountOf(request),
    sessionId: request.sessionID,
    origin: { ...readRequestOrigin(request), address: clientAddress(request) },
  };
}
