import { AppError, type Fault } from '../../errors/app-error.js';

const MOST_FAULTS = 20;

/** Says the first fault, how many more there are, and lists them. */
export function invalidArguments(faults: readonly Fault[]): AppError {
  const first = faults[0]!;
  return AppError.invalid(
    `${first.path === '' ? 'The arguments' : first.path} ${first.message}${faults.length > 1 ? ` (and ${faults.length - 1} more).` : '.'}`,
    faults.slice(0, MOST_FAULTS),
  );
}
