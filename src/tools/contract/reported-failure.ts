import type { AppError } from '../../errors/app-error.js';

/** The stored failure of work such as a run. The owner of the work may see it, whatever its code is. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';

  constructor(readonly failure: AppError) {
    super(failure.message, { cause: failure });
  }
}
