import type { AppError } from '../../errors/app-error.js';

/** The error of work, such as a run, whose failure was stored. The owner of the work may see it, with any code. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';

  constructor(readonly failure: AppError) {
    super(failure.message, { cause: failure });
  }
}
