import type { AppError } from '../errors/app-error.js';

/** Work that failed and was written down with what its owner may know, whatever the code of it is. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';

  constructor(readonly failure: AppError) {
    super(failure.message, { cause: failure });
  }
}
