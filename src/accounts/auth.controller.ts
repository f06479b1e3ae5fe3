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
import { OriginGuard } from '../http/origin.guard.js';
import { bodyValidation } from '../http/validation.pipe.js';
import { type AccountView, SignUpBody, toAccountView } from './account.js';
import { AccountsService } from './accounts.service.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { SessionGuard, accountOf } from './session.guard.js';
import { SessionCookie } from './sessions.js';
import { SignInGuard } from './sign-in.guard.js';

@Controller('api/auth')
@UseGuards(OriginGuard, CrossSiteGuard)
@UsePipes(bodyValidation())
export class AuthController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('sign-up')
  async signUp(@Body() body: SignUpBody, @Req() request: Request): Promise<AccountView> {
    const account = await this.accounts.signUp(body);
    await new Promise<void>((resolve, reject) => {
      request.logIn(account, (error: Error | null) => (error ? reject(error) : resolve()));
    });
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
    await new Promise<void>((resolve, reject) => {
      request.session.destroy((error: Error | null) => (error ? reject(error) : resolve()));
    });
    this.cookie.clear(response);
  }

  @Get('session')
  @UseGuards(SessionGuard)
  session(@Req() request: Request): AccountView {
    return toAccountView(accountOf(request));
  }
}
