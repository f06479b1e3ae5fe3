import { AppError } from './app-error.js';

/** Shows the message of a bug to its caller, in development only: such a message may contain data and internals. */
export class ShownBug extends AppError {
  constructor(bug: Error) {
    super('internal', `Internal error: ${bug.message}`, { cause: bug });
    // This error keeps the stack trace of the bug, so that the log shows where the bug is.
    if (bug.stack !== undefined) this.stack = bug.stack;
  }
}
