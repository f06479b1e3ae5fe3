import {
  Body,
  Controller,
  Get,
  HttpCode,
  Post,
  Req,
  Res,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ChangeFeed } from '../changes/change-feed.js';
import { clientAddress } from '../http/client-address.js';
import { OriginGuard } from '../http/origin.guard.js';
import { type Account, type AccountView, SignUpBody, toAccountView } from './account.js';
import { AccountsService } from './accounts.service.js';
import { bodyValidation } from './body-validation.js';
import { CallRecorder } from './call-recorder.js';
import { CredentialLimits } from './credential-limits.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { readRequestOrigin } from './read-request-origin.js';
import { SessionGuard, accountOf } from './session.guard.js';
import { Sessions } from './sessions.js';
import { SignInGuard } from './sign-in.guard.js';
import { AddressVerificationService } from './verification/address-verification.service.js';
import { languageOf } from './verification/verification-mail.js';

@Controller('api/auth')
@UseGuards(OriginGuard, CrossSiteGuard)
@UsePipes(bodyValidation())
export class AuthController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: Sessions,
    private readonly changes: ChangeFeed,
    private readonly recorder: CallRecorder,
    private readonly limits: CredentialLimits,
    private readonly verification: AddressVerificationService,
  ) {}

  @Post('sign-up')
  async signUp(@Body() body: SignUpBody, @Req() request: Request): Promise<AccountView> {
    const address = clientAddress(request);
    await this.limits.countSignUp(address);
    const account = await this.accounts.signUp(body, readRequestOrigin(request));
    await this.limits.remember(account.userId, address);
    await new Promise<void>((resolve, reject) => {
      request.logIn(account, (error: Error | null) => (error ? reject(error) : resolve()));
    });
    this.verification.mailAfterSignUp(account, address, languageOf(request));
    return toAccountView(account);
  }

  @Post('sign-in')
  @HttpCode(200)
  @UseGuards(SignInGuard)
  signIn(@Req() request: Request): AccountView {
    return toAccountView(accountOf(request));
  }

  @Post('sign-out')
  @HttpCode(204)
  async signOut(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const account = request.user as Account | undefined;
    if (account) {
      await this.recorder.storeEvent({
        organizationId: account.organizationId,
        actor: { kind: 'user', id: account.userId },
        action: 'sign_out',
        outcome: 'ok',
        origin: readRequestOrigin(request),
      });
    }
    await new Promise<void>((resolve, reject) => {
      request.session.destroy((error: Error | null) => (error ? reject(error) : resolve()));
    });
    if (account) this.changes.publish(account.organizationId, { kind: 'sessions' });
    this.sessions.clearCookie(response);
  }

  @Get('session')
  @UseGuards(SessionGuard)
  session(@Req() request: Request): AccountView {
    return toAccountView(accountOf(request));
  }
}
