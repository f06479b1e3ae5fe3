import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { CookieOptions, NextFunction, Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { randomBytes } from 'node:crypto';
import passport, { Passport } from 'passport';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { SecretBox } from '../database/secret-box.js';
import type { Account } from './account.js';
import { AccountsService } from './accounts.service.js';
import { IDLE_LIFETIME_MS, SessionStore } from './session-store.js';

/**
 * The sessions of signed-in people, one store for every route that uses them. A session holds the id of the person
 * only; who they are now is read again with every request.
 */
@Injectable()
export class Sessions implements OnApplicationShutdown {
  private readonly store: SessionStore;
  private readonly readCookie: RequestHandler;
  private readonly readAccount: RequestHandler;

  constructor(
    gate: GateDatabase,
    secrets: SecretBox,
    cookie: SessionCookie,
    private readonly accounts: AccountsService,
  ) {
    this.store = new SessionStore(gate.pool);
    this.readCookie = session({
      store: this.store,
      name: cookie.name,
      secret: secrets.derive('session cookies'),
      genid: () => randomBytes(32).toString('base64url'),
      resave: false,
      saveUninitialized: false,
      rolling: true,
      // Behind a proxy that ends TLS, X-Forwarded-Proto is what tells that the request came by https.
      proxy: cookie.options.secure,
      cookie: { ...cookie.options, sameSite: 'lax', maxAge: IDLE_LIFETIME_MS },
    });
    // @nestjs/passport signs in through the one passport of the process. Sessions are read through one of our own,
    // because that asks the database of this installation.
    const reader = new Passport();
    for (const instance of [passport, reader]) {
      instance.serializeUser((user, done) => done(null, (user as Account).userId));
    }
    reader.deserializeUser((userId: string, done) => {
      this.accounts.find(userId).then(
        (account) => done(null, account ?? false),
        (error: Error) => done(error),
      );
    });
    this.readAccount = reader.session() as RequestHandler;
  }

  /** Sets `request.user` to the account of the session that the cookie names, if there is one. */
  restore(request: Request, response: Response, next: NextFunction): void {
    void this.readCookie(request, response, (error?: unknown) => {
      if (error) next(error);
      else void this.readAccount(request, response, next);
    });
  }

  onApplicationShutdown(): void {
    this.store.close();
  }
}

/** The cookie that carries a session. Under https it is bound to the host by its `__Host-` prefix (RFC 6265bis). */
@Injectable()
export class SessionCookie {
  readonly name: string;
  readonly options: CookieOptions & { secure: boolean };

  constructor(env: Env) {
    const secure = env.publicUrl?.startsWith('https:') ?? false;
    this.name = secure ? '__Host-switchboard' : 'switchboard';
    this.options = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
