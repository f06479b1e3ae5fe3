import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-local';
import { AppError } from '../errors/app-error.js';
import { clientAddress } from '../http/client-address.js';
import type { Account } from './account.js';
import { AccountsService } from './accounts.service.js';
import { CredentialLimits } from './credential-limits.js';

/** Checks an e-mail address and a password, within the limits of attempts. */
@Injectable()
export class LocalStrategy extends PassportStrategy(Strategy, 'local') {
  constructor(
    private readonly accounts: AccountsService,
    private readonly limits: CredentialLimits,
  ) {
    super({ usernameField: 'email', passwordField: 'password', passReqToCallback: true });
  }

  async validate(request: Request, email: string, password: string): Promise<Account> {
    if (email.includes('\0')) throw wrongCredentials();
    const address = clientAddress(request);
    await this.limits.countSignIn(email, address);
    const account = await this.accounts.authenticate(email, password);
    if (!account) throw wrongCredentials();
    await this.limits.remember(account.userId, address);
    return account;
  }
}

/** Returns the same error for an unknown address and a wrong password, so that nobody learns who has an account. */
export function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
}
