/**
 * The error that ends the command with exit code 2. The command prints only its message, of one or two sentences, and
 * no stack trace.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The error that ends the command when the person has stopped it. */
export class Stopped extends CommandError {
  constructor() {
    super('Stopped.');
  }
}
