import { type Emitter, type Tokenizer, TypeGuards } from 'liquidjs';
import { AppError } from '../errors/app-error.js';

/** Most bytes of UTF-8 that a template may turn into. */
export const LONGEST_OUTPUT_BYTES = 256 * 1024;

/**
 * The filters that templates may use. Each was read: it needs time and memory in proportion to its input, charges
 * the memory limit, and evaluates no text. Left out on purpose: `*_exp` (evaluates text), hashes and Base64 (no use
 * in a message), `sample` (not the same twice).
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

/** The tags that templates may use: nothing that reads another template, and nothing that is code in disguise. */
export const LIQUID_TAGS: ReadonlySet<string> = new Set(
  'assign break capture case comment continue cycle decrement echo for if increment raw unless #'.split(
    ' ',
  ),
);

/** Returns the text, or throws `invalid_arguments` when it is longer than a template may make it. */
export function longestOutput(text: string): string {
  // Not every text needs counting: one of more UTF-16 units than bytes allowed is too long for sure.
  if (text.length > LONGEST_OUTPUT_BYTES || Buffer.byteLength(text) > LONGEST_OUTPUT_BYTES) {
    throw outputTooLong();
  }
  return text;
}

export function outputTooLong(): AppError {
  return AppError.invalid(
    `The template turns into more than ${LONGEST_OUTPUT_BYTES / 1024} KiB of text.`,
  );
}

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

/** Collects what a template writes, and stops the rendering as soon as it is too much. */
export class LimitedEmitter implements Emitter {
  buffer = '';

  write(html: unknown): void {
    this.buffer += textOf(html);
    if (this.buffer.length > LONGEST_OUTPUT_BYTES) throw outputTooLong();
  }
}

/** As LiquidJS writes values, but an object as JSON: nobody wants to read "[object Object]". */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return JSON.stringify(value) ?? '';
}
