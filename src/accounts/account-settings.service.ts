import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../changes/change-feed.js';
import { GateDatabase } from '../database/gate-database.js';
import { AppError } from '../errors/app-error.js';
import { SecurityLog } from '../security/security-log.js';
import type { Account, PasswordBody } from './account.js';
import { AccountsService } from './accounts.service.js';
import { CallRecorder, entryOf } from './call-recorder.js';
import { CredentialLimits } from './credential-limits.js';
import type { RequestOrigin } from './request-origin.js';
import { ABSOLUTE_LIFETIME_MS, IDLE_LIFETIME_MS, digestOf } from './session-store.js';

/** A person in a session, and the request in which the person changes something. */
export interface PersonInSession {
  readonly account: Account;
  readonly sessionId: string;
  readonly origin: RequestOrigin & { readonly address: string };
}

/** A session in the response of `GET /api/auth/sessions`. */
export interface SessionView {
  /** The digest of the session id. Whoever knows only the digest cannot use the session. */
  id: string;
  is_current: boolean;
  organization: { id: string; name: string };
  started_at: string;
  /** The time of the last request, exact to the minute. */
  last_seen_at: string;
  /** The address and the User-Agent of the sign-in, if they were stored. */
  address: string | null;
  client: string | null;
}

interface SessionRow {
  digest: string;
  organization_id: string;
  organization_name: string;
  started_at: Date;
  expires_at: Date;
  address: string | null;
  client: string | null;
}

/** Lets people see and end their sessions, and change their name and password. Every change is in the audit log. */
@Injectable()
export class AccountSettingsService {
  constructor(
    private readonly gate: GateDatabase,
    private readonly accounts: AccountsService,
    private readonly limits: CredentialLimits,
    private readonly recorder: CallRecorder,
    private readonly security: SecurityLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns the newest 100 sessions of the person in all organizations, the last used session first. */
  async listSessions(
    { userId, organizationId }: Account,
    sessionId: string,
  ): Promise<SessionView[]> {
    const startedAfter = new Date(Date.now() - ABSOLUTE_LIFETIME_MS);
    const rows = await this.gate.callForClient<SessionRow>(organizationId, 'find_sessions', [
      userId,
      startedAfter,
    ]);
    const current = digestOf(sessionId);
    return rows.map((row) => ({
      id: row.digest,
      is_current: row.digest === current,
      organization: { id: row.organization_id, name: row.organization_name },
      started_at: row.started_at.toISOString(),
      last_seen_at: new Date(row.expires_at.getTime() - IDLE_LIFETIME_MS).toISOString(),
      address: row.address,
      client: row.client,
    }));
  }

  /** Ends one session of the person. Throws `not_found` when the person has no such session. */
  async endSession(person: PersonInSession, id: string): Promise<void> {
    const { userId } = person.account;
    const values = [userId, id, null, entries(person, 'end_session')];
    if ((await this.end(person, values)) === 0) throw AppError.notFound('session');
  }

  /** Ends all sessions of the person except the current one. */
  async endOtherSessions(person: PersonInSession): Promise<void> {
    const { userId } = person.account;
    const kept = digestOf(person.sessionId);
    await this.end(person, [userId, null, kept, entries(person, 'end_other_sessions')]);
  }

  /** Changes the name of the person. An empty name removes the stored name. Returns the changed account. */
  async changeName(person: PersonInSession, name: string): Promise<Account> {
    const { account } = person;
    const stored = name === '' ? null : name;
    const values = [account.userId, stored, entries(person, 'change_name')];
    await this.gate.callForClient(account.organizationId, 'change_name', values);
    return { ...account, name: stored };
  }

  /**
   * Changes the password and ends all other sessions of the person. Each call counts towards the limit of attempts to
   * sign in. Throws `rate_limited` at this limit, and `invalid_arguments` when the current password is wrong.
   */
  async changePassword(person: PersonInSession, body: PasswordBody): Promise<void> {
    const { account, origin } = person;
    await this.limits.countSignIn(account.email, origin.address);
    const ended = await this.accounts.changePassword(account, {
      present: body.current_password,
      next: body.new_password,
      keptDigest: digestOf(person.sessionId),
      entries: entries(person, 'change_password'),
    });
    if (ended) {
      this.publish(ended);
      return;
    }
    const { organizationId, userId } = account;
    this.security.report('failed_sign_in', { subject: organizationId, address: origin.address });
    this.recorder.recordEvent({
      organizationId,
      actor: { kind: 'user', id: userId },
      action: 'change_password',
      outcome: 'invalid_credentials',
      origin,
    });
    throw AppError.invalidField('current_password', 'is not the current password');
  }

  /** Ends sessions and their streams of changes. Returns the number of ended sessions. */
  private async end({ account }: PersonInSession, values: readonly unknown[]): Promise<number> {
    const rows = await this.gate.callForClient<{ organization_id: string }>(
      account.organizationId,
      'end_sessions',
      values,
    );
    this.publish(rows.map((row) => row.organization_id));
    return rows.length;
  }

  private publish(organizationIds: readonly string[]): void {
    for (const id of new Set(organizationIds)) this.changes.publish(id, { kind: 'sessions' });
  }
}

/** Returns the audit log entry of a change as JSON. The database writes the entry in the transaction of the change. */
function entries({ account, origin }: PersonInSession, action: string): string {
  const { organizationId, userId } = account;
  const actor = { kind: 'user', id: userId } as const;
  return JSON.stringify([entryOf(organizationId, actor, action, 'ok', origin)]);
}
