import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../errors/app-error.js';
import { CallTurns } from '../http/call-turns.js';
import { clientAddress, networkOf } from '../http/client-address.js';
import { readBodyIfAny } from '../http/request-body.js';
import { isJsonObject } from '../text/is-json-object.js';

const MAX_BODY_BYTES = 16 * 1024;
/**
 * The largest number of values in a body. The largest body that is valid has three. Every further value is a fault, and
 * the validation of thousands of faults takes 10 ms.
 */
const MOST_VALUES = 20;
/** The place in the turns for bodies of senders whose organization is not known yet. */
const PLACE = 'accounts';

/**
 * Reads the bodies of `/api/auth`, whose guards need the body. A stranger can send such bodies, so they are small, and
 * networks take turns.
 */
@Injectable()
export class AccountBodyMiddleware implements NestMiddleware {
  constructor(private readonly turns: CallTurns) {}

  /** Sets `request.body` to an object, or to undefined when the request has no body. */
  async use(request: Request, _response: Response, next: NextFunction): Promise<void> {
    const network = networkOf(clientAddress(request));
    const body = await readBodyIfAny(
      request,
      MAX_BODY_BYTES,
      (bytes) => this.turns.takeForUnverifiedBody(PLACE, network, bytes),
      { members: MOST_VALUES },
    );
    if (body !== undefined && !isJsonObject(body)) {
      throw AppError.invalid('The body must be a JSON object.');
    }
    request.body = body;
    next();
  }
}
