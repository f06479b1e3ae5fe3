/** Ends the command with exit code 2. Its message is what the person reads, in one or two sentences, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Reports that the person has stopped the command. */
export class Stopped extends CommandError {
  constructor() {
    super('Stopped.');
  }
}
