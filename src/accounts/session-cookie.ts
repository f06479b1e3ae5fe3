import { Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { Env } from '../config/env.js';

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
