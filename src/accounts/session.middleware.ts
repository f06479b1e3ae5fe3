import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Sessions } from './sessions.js';

/** Restores the session of a request. Nest makes one of these for each module, hence the shared {@link Sessions}. */
@Injectable()
export class SessionMiddleware implements NestMiddleware {
  constructor(private readonly sessions: Sessions) {}

  use(request: Request, response: Response, next: NextFunction): void {
    this.sessions.restore(request, response, next);
  }
}
