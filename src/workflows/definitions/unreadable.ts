import { AppError } from '../../errors/app-error.js';

/** The members of a step's output that were too large to be stored, each with the error message for a read. */
export type TooLarge = Readonly<Record<string, string>>;

interface Output {
  readonly too_large?: TooLarge;
}

/**
 * Returns an output whose members in `too_large` throw `invalid_arguments` when an expression reads them. These members
 * are null in the journal. Without the error, a step would use the null as a result, and nobody would notice.
 */
export function withUnreadable(output: object | null): object | null {
  const { too_large: tooLarge } = (output ?? {}) as Output;
  if (!tooLarge) return output;
  const guarded = { ...output };
  for (const [member, message] of Object.entries(tooLarge)) {
    Object.defineProperty(guarded, member, {
      enumerable: true,
      get: () => {
        throw AppError.invalid(message);
      },
    });
  }
  return guarded;
}
