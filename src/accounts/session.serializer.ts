import { Injectable } from '@nestjs/common';
import { PassportSerializer } from '@nestjs/passport';
import type { Account } from './account.js';
import { AccountsService } from './accounts.service.js';

type Done<T> = (error: Error | null, value?: T) => void;

/** A session holds the id of the person only; who they are now is read again with every request. */
@Injectable()
export class SessionSerializer extends PassportSerializer {
  constructor(private readonly accounts: AccountsService) {
    super();
  }

  serializeUser(account: Account, done: Done<string>): void {
    done(null, account.userId);
  }

  deserializeUser(userId: string, done: Done<Account | false>): void {
    this.accounts.find(userId).then(
      (account) => done(null, account ?? false),
      (error: Error) => done(error),
    );
  }
}
