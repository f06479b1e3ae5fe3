import { type Tokenizer, TypeGuards } from 'liquidjs';
import { AppError } from '../errors/app-error.js';

const LARGEST_BOUND = 100_000;

/**
 * Lets `(1..5)` pass and refuses every range that is not two small numbers in the template itself. LiquidJS counts a
 * range up with `+= 1`, which from 2^53 on changes nothing: `(9007199254740992..9007199254740994)` never ends, fills
 * the memory and takes the process down, and no limit of LiquidJS sees it.
 */
export function boundRanges(tokenizer: Pick<Tokenizer, 'readGroupOrRange'>): void {
  // eslint-disable-next-line typescript/unbound-method -- called with its `this` below
  const { readGroupOrRange } = tokenizer;
  tokenizer.readGroupOrRange = function (this: Tokenizer) {
    const range = readGroupOrRange.call(this);
    if (TypeGuards.isRangeToken(range) && !(isSmall(range.lhs) && isSmall(range.rhs))) {
      throw AppError.invalid(
        `The bounds of a range must be numbers from 0 to ${LARGEST_BOUND}, as in (1..5).`,
      );
    }
    return range;
  };
}

function isSmall(token: { getText(): string }): boolean {
  const text = token.getText();
  return /^\d{1,6}$/.test(text) && Number(text) <= LARGEST_BOUND;
}
