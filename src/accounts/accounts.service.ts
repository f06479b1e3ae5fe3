import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { violatedConstraint } from '../database/database-error.js';
import { AppError } from '../errors/app-error.js';
import type { Account, SignUpBody } from './account.js';
import { AccountsRepository } from './accounts.repository.js';
import { hashPassword, verifyPassword } from './passwords.js';

@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly env: Env,
  ) {}

  /** Creates an organization and its owner. Throws `email_taken`, or `forbidden` when sign-up is closed. */
  async signUp(body: SignUpBody): Promise<Account> {
    if (this.env.signUp === 'closed' && (await this.accounts.hasAny())) {
      throw new AppError('forbidden', 'Sign-up is closed. Ask the operator for an account.');
    }
    const passwordHash = await hashPassword(body.password);
    try {
      return await this.accounts.create(body.email, passwordHash, body.organization_name);
    } catch (error) {
      if (violatedConstraint(error) !== 'users_email_key') throw error;
      throw new AppError('email_taken', 'This e-mail address already has an account. Sign in.', {
        cause: error,
      });
    }
  }

  /** Returns the account, or null for an unknown address and for a wrong password. */
  async authenticate(email: string, password: string): Promise<Account | null> {
    const account = await this.accounts.findByEmail(email);
    const isRight = await verifyPassword(account?.passwordHash, password);
    return isRight ? account : null;
  }

  async find(userId: string): Promise<Account | null> {
    return await this.accounts.findByUserId(userId);
  }

  async hasAny(): Promise<boolean> {
    return await this.accounts.hasAny();
  }
}
