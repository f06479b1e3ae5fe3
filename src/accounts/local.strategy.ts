import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-local';
import { AppError } from '../errors/app-error.js';
import { TokenBuckets } from '../http/rate-limiter.js';
import type { Account } from './account.js';
import { AccountsService } from './accounts.service.js';

const ATTEMPTS = 10;
const ATTEMPTS_PER_SECOND = ATTEMPTS / 60;

/** Checks an e-mail address and a password. Each address has ten attempts, and regains ten a minute. */
@Injectable()
export class LocalStrategy extends PassportStrategy(Strategy, 'local') {
  private readonly attempts = new TokenBuckets(ATTEMPTS, ATTEMPTS_PER_SECOND);

  constructor(private readonly accounts: AccountsService) {
    super({ usernameField: 'email', passwordField: 'password' });
  }

  async validate(email: string, password: string): Promise<Account> {
    if (email.includes('\0')) throw wrongCredentials();
    const key = email.toLowerCase().slice(0, 254);
    this.attempts.consume(key, 1, 'Too many attempts to sign in. Wait before the next attempt.');
    const account = await this.accounts.authenticate(email, password);
    if (!account) throw wrongCredentials();
    return account;
  }
}

/** Returns the same error for an unknown address and a wrong password, so that nobody learns who has an account. */
export function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
}
