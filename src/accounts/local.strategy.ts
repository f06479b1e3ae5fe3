import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-local';
import { AppError } from '../errors/app-error.js';
import { TokenBuckets } from '../http/rate-limiter.js';
import type { Account } from './account.js';
import { AccountsService } from './accounts.service.js';

const ATTEMPTS = 10;
const ATTEMPTS_PER_SECOND = ATTEMPTS / 60;

/** Checks an e-mail address and a password: at most ten times in a row for each address, and ten times a minute. */
@Injectable()
export class LocalStrategy extends PassportStrategy(Strategy, 'local') {
  private readonly attempts = new TokenBuckets(ATTEMPTS, ATTEMPTS_PER_SECOND);

  constructor(private readonly accounts: AccountsService) {
    super({ usernameField: 'email', passwordField: 'password' });
  }

  async validate(email: unknown, password: unknown): Promise<Account> {
    if (typeof email !== 'string' || typeof password !== 'string' || email.includes('\0')) {
      throw wrongCredentials();
    }
    const waitSeconds = this.attempts.take(email.toLowerCase().slice(0, 254), 1);
    if (waitSeconds > 0) {
      throw new AppError(
        'rate_limited',
        'Too many attempts to sign in. Wait before the next one.',
        {
          retryAfterSeconds: Math.ceil(waitSeconds),
        },
      );
    }
    const account = await this.accounts.authenticate(email, password);
    if (!account) throw wrongCredentials();
    return account;
  }
}

/** Returns the same error for an unknown address and a wrong password, so that nobody learns who has an account. */
export function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
}
