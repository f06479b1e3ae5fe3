import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { AppError, toError } from '../errors/app-error.js';
import { clientAddress } from '../http/client-address.js';
import { SecurityLog } from '../security/security-log.js';
import { AccountsService } from './accounts.service.js';
import { CallRecorder } from './call-recorder.js';
import { wrongCredentials } from './local.strategy.js';
import { readRequestOrigin } from './read-request-origin.js';
import { accountOf } from './session.guard.js';

/** Checks the password and starts a session under a new id, which prevents session fixation. */
@Injectable()
export class SignInGuard extends AuthGuard('local') {
  constructor(
    private readonly security: SecurityLog,
    private readonly accounts: AccountsService,
    private readonly recorder: CallRecorder,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    assertCredentials(request.body);
    await this.checkPassword(context, request);
    const { organizationId, userId } = accountOf(request);
    await this.recorder.storeEvent({
      organizationId,
      actor: { kind: 'user', id: userId },
      action: 'sign_in',
      outcome: 'ok',
      origin: readRequestOrigin(request),
    });
    // The session is stored after the entry. Otherwise a failure of the entry would leave a session without an entry.
    await super.logIn(request);
    return true;
  }

  private async checkPassword(context: ExecutionContext, request: Request): Promise<void> {
    try {
      await super.canActivate(context);
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_credentials') {
        await this.recordFailure(request);
      }
      throw error;
    }
  }

  /** Reports the failure. If the address has an account, the audit log of the organization gets an entry too. */
  private async recordFailure(request: Request): Promise<void> {
    const { email } = request.body as { email: string };
    // Every response gets its request id here. If only some responses had this header, it would show who has an
    // account.
    const origin = readRequestOrigin(request);
    // Refuse U+0000 here. PostgreSQL would refuse a look-up with this character, and the answer would be 500.
    const account = email.includes('\0') ? null : await this.accounts.findByEmail(email);
    const subject = account?.organizationId;
    this.security.report('failed_sign_in', { subject, address: clientAddress(request) });
    if (!account) return;
    this.recorder.recordEvent({
      organizationId: account.organizationId,
      actor: { kind: 'user', id: account.userId },
      action: 'sign_in',
      outcome: 'invalid_credentials',
      origin,
    });
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw toError(error);
    if (!user) throw wrongCredentials();
    return user;
  }
}

/** Throws if the body lacks a field. Otherwise passport-local would read the password from the URL, which is logged. */
function assertCredentials(body: unknown): void {
  const { email, password } = (body ?? {}) as { email?: unknown; password?: unknown };
  const isGiven = [email, password].every((text) => typeof text === 'string' && text !== '');
  if (!isGiven) throw wrongCredentials();
}
