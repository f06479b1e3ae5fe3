import { AppError } from './app-error.js';

/** No, or no valid, API key. `challenge` is the value of `WWW-Authenticate` (RFC 9110, section 11.6.1; RFC 6750). */
export class UnauthenticatedError extends AppError {
  constructor(
    message: string,
    readonly challenge: string,
  ) {
    super('unauthenticated', message);
  }
}
