import { type Emitter, type Tokenizer, TypeGuards } from 'liquidjs';
import { AppError } from '../errors/app-error.js';

/** Limits the output of a template, in bytes of UTF-8. */
const MAX_OUTPUT_BYTES = 256 * 1024;

/**
 * Lists the filters that templates may use. Each was reviewed: its time and memory are proportional to its input, it
 * counts towards the memory limit, and it evaluates no text. `*_exp` (evaluate text), hashes and Base64 (useless in a
 * message), and `sample` (random) are left out on purpose.
 */
export const LIQUID_FILTERS: ReadonlySet<string> = new Set(
  (
    'abs append at_least at_most capitalize ceil compact concat date date_to_xmlschema default divided_by ' +
    'downcase escape escape_once first floor join json last lstrip map minus modulo newline_to_br ' +
    'number_of_words plus prepend remove remove_first remove_last replace replace_first replace_last reverse ' +
    'round rstrip size slice sort sort_natural split squish strip strip_html strip_newlines sum times ' +
    'to_integer truncate truncatewords uniq upcase url_decode url_encode where'
  ).split(' '),
);

/** Lists the tags that templates may use. None of them reads another template or runs code. */
export const LIQUID_TAGS: ReadonlySet<string> = new Set(
  'assign break capture case comment continue cycle decrement echo for if increment raw unless #'.split(
    ' ',
  ),
);

/** Returns the text, or throws `invalid_arguments` when it is longer than the largest output. */
export function checkOutputLength(text: string): string {
  if (text.length > MAX_OUTPUT_BYTES || Buffer.byteLength(text) > MAX_OUTPUT_BYTES) {
    throw outputTooLongError();
  }
  return text;
}

function outputTooLongError(): AppError {
  return AppError.invalid(
    `The output of the template is larger than ${MAX_OUTPUT_BYTES / 1024} KiB.`,
  );
}

const LARGEST_BOUND = 100_000;

/**
 * Makes the tokenizer accept only ranges of two small literal numbers, such as `(1..5)`. LiquidJS counts with `+= 1`, which
 * has no effect from 2^53 on. So `(9007199254740992..9007199254740994)` would never end, fill the memory and crash the
 * process, and no limit of LiquidJS applies to it.
 */
export function limitRanges(tokenizer: Pick<Tokenizer, 'readGroupOrRange'>): void {
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

/** Collects the output of a template, and throws as soon as it is too long. */
export class LimitedEmitter implements Emitter {
  buffer = '';

  write(html: unknown): void {
    this.buffer += toText(html);
    if (this.buffer.length > MAX_OUTPUT_BYTES) throw outputTooLongError();
  }
}

/** Converts a value to text like LiquidJS, but an object becomes JSON and not `[object Object]`. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toText).join('');
  return JSON.stringify(value) ?? '';
}
