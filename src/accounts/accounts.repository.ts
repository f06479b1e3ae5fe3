import { Injectable } from '@nestjs/common';
import { GateDatabase } from '../database/gate-database.js';
import { newId } from '../text/ids.js';
import type { Account } from './account.js';

interface AccountRow {
  user_id: string;
  email: string;
  password_hash: string;
  organization_id: string;
  organization_name: string;
  role: Account['role'];
}

export type StoredAccount = Account & { readonly passwordHash: string };

/** Reads and creates people and organizations, through the gate, because a look-up has no organization yet. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly gate: GateDatabase) {}

  async findByEmail(email: string): Promise<StoredAccount | null> {
    return await this.find([email, null]);
  }

  async findByUserId(userId: string): Promise<StoredAccount | null> {
    return await this.find([null, userId]);
  }

  async hasAny(): Promise<boolean> {
    const [row] = await this.gate.call<{ has_accounts: boolean }>('has_accounts', []);
    return row?.has_accounts ?? false;
  }

  /** Creates a person and the organization they own. An address that is in use violates `users_email_key`. */
  async create(email: string, passwordHash: string, organizationName: string): Promise<Account> {
    const account: Account = {
      userId: newId('usr'),
      email,
      organizationId: newId('org'),
      organizationName,
      role: 'owner',
    };
    await this.gate.call('create_account', [
      account.userId,
      email,
      passwordHash,
      account.organizationId,
      organizationName,
    ]);
    return account;
  }

  private async find(criteria: [string | null, string | null]): Promise<StoredAccount | null> {
    const [row] = await this.gate.call<AccountRow>('find_account', criteria);
    return row
      ? {
          userId: row.user_id,
          email: row.email,
          passwordHash: row.password_hash,
          organizationId: row.organization_id,
          organizationName: row.organization_name,
          role: row.role,
        }
      : null;
  }
}
