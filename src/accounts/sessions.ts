import { Injectable, type NestMiddleware, type OnApplicationShutdown } from '@nestjs/common';
import type { CookieOptions, NextFunction, Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { randomBytes } from 'node:crypto';
import passport, { Passport } from 'passport';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { SecretBox } from '../database/secret-box.js';
import { CallTurns } from '../http/call-turns.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { recordAccess, renewAccess } from '../http/request-access.js';
import { recordOrganization } from '../http/request-organization.js';
import type { Account } from './account.js';
import { sessionEnded } from './acting-session.js';
import { AccountsService } from './accounts.service.js';
import { clientOf } from './read-request-origin.js';
import { IDLE_LIFETIME_MS, SessionStore, type SignedIn } from './session-store.js';

type Serialized = (error: unknown, person: SignedIn) => void;

/**
 * Reads and writes the sessions of signed-in people. A session holds the ids of the person and of the organization, and
 * the address of the sign-in. The account is read again with every request. When the person becomes a member of another
 * organization, existing sessions do not change.
 */
@Injectable()
export class Sessions implements OnApplicationShutdown {
  private readonly cookieName: string;
  private readonly cookieOptions: CookieOptions;
  private readonly store: SessionStore;
  private readonly readCookie: RequestHandler;
  private readonly readAccount: RequestHandler;

  constructor(
    gate: GateDatabase,
    secrets: SecretBox,
    env: Env,
    limiter: RateLimiter,
    private readonly accounts: AccountsService,
    private readonly turns: CallTurns,
  ) {
    const secure = env.publicUrl?.startsWith('https:') ?? false;
    // Browsers bind a cookie with this prefix to this host, and accept it only over https (RFC 6265bis).
    this.cookieName = secure ? '__Host-switchboard' : 'switchboard';
    this.cookieOptions = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
    this.store = new SessionStore(gate.pool, (digest) => limiter.consumeOfSession(digest));
    this.readCookie = session({
      store: this.store,
      name: this.cookieName,
      // The first key signs new cookies. Cookies that were signed with the other key stay valid while SECRET_KEY
      // changes.
      secret: secrets.deriveAll('session cookies'),
      genid: () => randomBytes(32).toString('base64url'),
      resave: false,
      saveUninitialized: false,
      rolling: true,
      // Behind a proxy that ends TLS, only X-Forwarded-Proto says that the request came by https. Without a list of
      // proxies, the header of every client is believed. A client that forges this header gains nothing: it gets a
      // cookie that its browser sends over https only.
      proxy: env.trustedProxies === '' ? secure : undefined,
      cookie: { ...this.cookieOptions, maxAge: IDLE_LIFETIME_MS },
    });
    // @nestjs/passport signs people in through the global passport object. Sessions are read through a separate object,
    // because two installations in one process must not read each other's accounts.
    const reader = new Passport();
    for (const instance of [passport, reader]) {
      instance.serializeUser((request: Request, user: Express.User, done: Serialized) => {
        const { userId, organizationId, passwordTag } = user as Account;
        const origin = clientOf(request);
        done(null, { userId, organizationId, passwordTag, ...origin });
      });
    }
    reader.deserializeUser((person: SignedIn, done) => {
      this.findAccount(person).then(
        (account) => done(null, account ?? false),
        (error: Error) => done(error),
      );
    });
    this.readAccount = reader.session() as RequestHandler;
  }

  /**
   * Sets `request.user` to the account of the session in the cookie, if there is a session. Organizations take turns, so
   * that thousands of requests of one person do not delay the requests of others.
   */
  restore(request: Request, response: Response, next: NextFunction): void {
    const lookedUpAt = performance.now();
    void this.readCookie(request, response, (error?: unknown) => {
      if (error) next(error);
      else
        void this.readAccount(request, response, (failure?: unknown) => {
          const account = request.user as Account | undefined;
          if (failure || !account) {
            next(failure);
            return;
          }
          recordOrganization(request, account.organizationId);
          recordAccess(request, lookedUpAt, () => this.renew(request, account));
          const turn = this.turns.take(account.organizationId);
          if (turn) turn.then(() => renewAccess(request)).then(() => next(), next);
          else next();
        });
    });
  }

  /**
   * Returns true while a session acts for this person in this organization. Returns false when the session was ended or
   * has expired, and when the person has left the organization or changed the password.
   */
  async isOpen(
    sessionId: string,
    person: Pick<Account, 'userId' | 'organizationId'>,
  ): Promise<boolean> {
    return (await this.findOpen(sessionId, person)) !== undefined;
  }

  /** Reads the session and its account again. Throws `unauthenticated` when the session no longer acts. */
  private async renew(request: Request, person: Account): Promise<void> {
    const account = await this.findOpen(request.sessionID, person);
    if (!account) throw sessionEnded();
    request.user = account;
  }

  private async findOpen(
    sessionId: string,
    { userId, organizationId }: Pick<Account, 'userId' | 'organizationId'>,
  ): Promise<Account | undefined> {
    const person = await this.store.findPerson(sessionId);
    if (person?.userId !== userId || person.organizationId !== organizationId) return undefined;
    return await this.findAccount(person);
  }

  /**
   * Returns the account of a session, or undefined when the session was started with an earlier password. A sign-in
   * that runs during a change of the password may store such a session after the change has ended the other sessions.
   */
  private async findAccount(person: SignedIn): Promise<Account | undefined> {
    const account = await this.accounts.find(person.userId, person.organizationId);
    if (!account) return undefined;
    const { passwordTag } = person;
    return passwordTag === undefined || passwordTag === account.passwordTag ? account : undefined;
  }

  clearCookie(response: Response): void {
    response.clearCookie(this.cookieName, this.cookieOptions);
  }

  onApplicationShutdown(): void {
    this.store.close();
  }
}

/**
 * Separates a request from its session. Without this, the end of a long response would extend the session, and an
 * expired session would be valid again.
 */
export function releaseSession(request: Request): void {
  (request as { session?: unknown }).session = undefined;
}

/**
 * Restores the session of a request. Nest creates one instance for each module, and all instances share {@link
 * Sessions}.
 */
@Injectable()
export class SessionMiddleware implements NestMiddleware {
  constructor(private readonly sessions: Sessions) {}

  use(request: Request, response: Response, next: NextFunction): void {
    this.sessions.restore(request, response, next);
  }
}
