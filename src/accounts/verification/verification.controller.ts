import { Body, Controller, Get, HttpCode, Post, Req, UseGuards, UsePipes } from '@nestjs/common';
import { IsString, Length } from 'class-validator';
import type { Request } from 'express';
import { clientAddress } from '../../http/client-address.js';
import { OriginGuard } from '../../http/origin.guard.js';
import { bodyValidation } from '../body-validation.js';
import { CrossSiteGuard } from '../cross-site.guard.js';
import { readRequestOrigin } from '../read-request-origin.js';
import { SessionGuard, accountOf } from '../session.guard.js';
import {
  AddressVerificationService,
  type VerificationView,
} from './address-verification.service.js';
import { languageOf } from './verification-mail.js';

class VerificationBody {
  @IsString()
  @Length(1, 200)
  token: string;
}

/**
 * Verifies the address of the signed-in person. Only POST changes anything, because mail servers open the links of
 * mails. The session is needed, so that a link cannot make a person verify an address for the account of somebody else.
 */
@Controller('api/auth/verification')
@UseGuards(OriginGuard, CrossSiteGuard, SessionGuard)
@UsePipes(bodyValidation())
export class VerificationController {
  constructor(private readonly verification: AddressVerificationService) {}

  @Get()
  describe(@Req() request: Request): Promise<VerificationView> {
    return this.verification.describe(accountOf(request));
  }

  @Post()
  @HttpCode(200)
  verify(@Body() { token }: VerificationBody, @Req() request: Request): Promise<VerificationView> {
    return this.verification.verify(accountOf(request), token, readRequestOrigin(request));
  }

  @Post('mail')
  @HttpCode(204)
  mail(@Req() request: Request): Promise<void> {
    const account = accountOf(request);
    return this.verification.mailAgain(account, clientAddress(request), languageOf(request));
  }
}
