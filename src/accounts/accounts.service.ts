import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { violatedConstraint } from '../database/database-error.js';
import { GateDatabase } from '../database/gate-database.js';
import { GateLookUps } from '../database/gate-look-ups.js';
import { AppError } from '../errors/app-error.js';
import { type NamedPolicy, ToolPolicies } from '../policies/tool-policies.js';
import { newId } from '../text/ids.js';
import type { Account, SignUpBody } from './account.js';
import { rethrowEnded } from './acting-session.js';
import { hashPassword, tagOf, verifyPassword } from './passwords.js';
import { originJson, type RequestOrigin } from './request-origin.js';

interface AccountRow {
  user_id: string;
  email: string;
  name: string | null;
  password_hash: string;
  organization_id: string;
  organization_name: string;
  role: Account['role'];
  policies: NamedPolicy[] | null;
}

/**
 * Creates and finds people and organizations. It uses the gate, because the organization is unknown before a look-up.
 */
@Injectable()
export class AccountsService {
  private readonly lookUps: GateLookUps<
    [email: null, userId: string, organizationId: string],
    AccountRow
  >;

  constructor(
    private readonly gate: GateDatabase,
    private readonly env: Env,
  ) {
    this.lookUps = new GateLookUps(gate, 'find_account', ['text', 'text', 'text']);
  }

  /** Creates an organization and its owner. Throws `email_taken`, or `forbidden` when sign-up is closed. */
  async signUp(
    { email, password, organization_name }: SignUpBody,
    origin?: RequestOrigin,
  ): Promise<Account> {
    const isClosed = this.env.signUp === 'closed';
    // create_first_account() checks again that there is no account. When there is one, this earlier check avoids the
    // slow hash.
    if (isClosed && (await this.hasAny())) throw signUpClosed();
    const hash = await hashPassword(password);
    const [userId, organizationId] = [newId('usr'), newId('org')];
    try {
      const values = [userId, email, hash, organizationId, organization_name];
      const from = originJson(origin);
      if (!isClosed) await this.gate.call('create_account', [...values, this.newQuotas, from]);
      else if (!(await this.createFirst([...values, from]))) throw signUpClosed();
    } catch (error) {
      if (violatedConstraint(error) !== 'users_email_key') throw error;
      throw new AppError('email_taken', 'This e-mail address already has an account. Sign in.', {
        cause: error,
      });
    }
    return {
      userId,
      email,
      name: null,
      passwordTag: tagOf(hash),
      organizationId,
      organizationName: organization_name,
      role: 'owner',
      toolPolicies: ToolPolicies.NONE,
    };
  }

  /**
   * Returns the account in the organization that the person joined first, or null for an unknown address and for a
   * wrong password.
   */
  async authenticate(email: string, password: string): Promise<Account | null> {
    const [row] = await this.gate.call<AccountRow>('find_account', [email, null, null]);
    const isRight = await verifyPassword(row?.password_hash, password);
    return row && isRight ? toAccount(row) : null;
  }

  /**
   * Returns the account of the person with this address, in the organization that the person joined first. Returns null
   * for an unknown address.
   */
  async findByEmail(email: string): Promise<Account | null> {
    const [row] = await this.gate.call<AccountRow>('find_account', [email, null, null]);
    return row ? toAccount(row) : null;
  }

  /** Returns the account of a person in an organization, or null when the person is not a member. */
  async find(userId: string, organizationId: string): Promise<Account | null> {
    const row = await this.lookUps.find(null, userId, organizationId);
    return row ? toAccount(row) : null;
  }

  /**
   * Replaces the password of a person and ends the other sessions of the person. Returns the organizations of the ended
   * sessions, or undefined when the current password is wrong. `entries` are written to the audit log in the same
   * transaction. Throws `unauthenticated` when the kept session has ended.
   */
  async changePassword(
    { userId, organizationId }: Account,
    given: { present: string; next: string; keptDigest: string; entries: string },
  ): Promise<readonly string[] | undefined> {
    const found = [null, userId, organizationId];
    const [row] = await this.gate.call<AccountRow>('find_account', found);
    if (!row || !(await verifyPassword(row.password_hash, given.present))) return undefined;
    const hash = await hashPassword(given.next);
    const values = [userId, row.password_hash, hash, given.keptDigest, tagOf(hash), given.entries];
    const [result] = await this.gate
      .call<{ changed: boolean; organizations: string[] }>('change_password', values)
      .catch(rethrowEnded);
    return result!.changed ? result!.organizations : undefined;
  }

  /** Returns, as JSON, the quotas in which a new organization differs from the defaults. */
  private get newQuotas(): string {
    if (this.env.isTrial) return '{}';
    return JSON.stringify({
      messages: this.env.newOrganizationMessages,
      contacts: this.env.newOrganizationContacts,
      runs: this.env.newOrganizationRuns,
      stored_bytes: this.env.newOrganizationStoredMb * 1_000_000,
    });
  }

  async hasAny(): Promise<boolean> {
    const [row] = await this.gate.call<{ has_accounts: boolean }>('has_accounts', []);
    return row?.has_accounts ?? false;
  }

  /**
   * Returns false when somebody has an account already. When several calls run at the same time, in any processes, only
   * one of them creates the account.
   */
  private async createFirst(values: readonly (string | null)[]): Promise<boolean> {
    const [row] = await this.gate.call<{ create_first_account: boolean }>(
      'create_first_account',
      values,
    );
    return row!.create_first_account;
  }
}

function signUpClosed(): AppError {
  return new AppError('forbidden', 'Sign-up is closed. Ask the operator for an account.');
}

function toAccount(row: AccountRow): Account {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    passwordTag: tagOf(row.password_hash),
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    role: row.role,
    toolPolicies: ToolPolicies.of(row.policies),
  };
}
