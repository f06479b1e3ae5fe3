import type { InputRequests } from './input-request.js';

/** Thrown by `ask` while an answer is missing: ends the call without effect, and its caller gets the questions. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';

  constructor(
    readonly requests: InputRequests,
    /** To be sent back with the answers, unchanged. */
    readonly state: string,
  ) {
    super('The caller must answer first.');
  }
}
