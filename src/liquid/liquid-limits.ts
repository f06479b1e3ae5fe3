import { type Emitter, type Token, TokenKind, type Tokenizer, TypeGuards } from 'liquidjs';
import { AppError } from '../errors/app-error.js';
import { minJsonLength } from '../text/json-length.js';
import { MAX_VALUE_BYTES } from '../text/value-size.js';
import { lineIndexAt, lineOffsets } from '../text/lines.js';

/** The largest output of a template, in bytes of UTF-8. */
const MAX_OUTPUT_BYTES = 256 * 1024;

/**
 * The filters that templates may use. Each was reviewed: its time and memory are proportional to its input, it counts
 * towards the memory limit, and it evaluates no text. `*_exp` (evaluate text) and `sample` (random) are left out on
 * purpose. The filters of `data-filters.ts` are Switchboard's own.
 */
export const LIQUID_FILTERS: ReadonlySet<string> = new Set(
  (
    'abs append at_least at_most base64_decode base64_encode capitalize ceil compact concat date date_add ' +
    'date_to_xmlschema default divided_by downcase escape escape_once first floor hmac_sha256 join json last lstrip map minus modulo newline_to_br ' +
    'number_of_words parse_json plus prepend remove remove_first remove_last replace replace_first replace_last reverse ' +
    'round rstrip sha256 size slice sort sort_natural split squish strip strip_html strip_newlines sum times ' +
    'to_integer truncate truncatewords uniq upcase url_decode url_encode where'
  ).split(' '),
);

/** The tags that templates may use. None of them reads another template or runs code. */
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

/**
 * Returns the text of a single expression, or throws `invalid_arguments` when it is longer than a value of a run may
 * be. Filters cannot make such a long text, so the text can only come from a value of the scope.
 */
export function checkValueLength(text: string): string {
  if (text.length <= MAX_VALUE_BYTES && Buffer.byteLength(text) <= MAX_VALUE_BYTES) return text;
  throw AppError.invalid(`The value of an expression is larger than ${MAX_VALUE_BYTES} bytes.`);
}

function outputTooLongError(): AppError {
  return AppError.invalid(
    `The output of the template is larger than ${MAX_OUTPUT_BYTES / 1024} KiB.`,
  );
}

const MAX_MARKUP_TOKENS = 2000;
const MAX_MARKUP_CHARACTERS = 16 * 1024;

/**
 * Throws when a template has more than 2,000 tags and outputs, or when its tags and outputs have more than 16 KiB
 * together. Parsing takes time in proportion to these numbers and cannot be interrupted. Text without markup takes
 * little time.
 */
export function checkMarkup(template: string): void {
  let tokens = 0;
  for (let at = template.indexOf('{'); at >= 0; at = template.indexOf('{', at + 1)) {
    if (template[at + 1] === '{' || template[at + 1] === '%') tokens += 1;
  }
  if (tokens <= MAX_MARKUP_TOKENS) return;
  throw AppError.invalid(`A template has at most ${MAX_MARKUP_TOKENS} tags and outputs.`);
}

/** Throws when the tags and outputs of a template together are too long. */
export function checkMarkupLength(tokens: readonly Token[]): void {
  let characters = 0;
  for (const token of tokens) {
    if (token.kind !== TokenKind.HTML) characters += token.end - token.begin;
  }
  if (characters <= MAX_MARKUP_CHARACTERS) return;
  throw AppError.invalid(
    `The tags and outputs of a template have at most ${MAX_MARKUP_CHARACTERS} characters.`,
  );
}

const LARGEST_BOUND = 100_000;

/**
 * Makes the tokenizer accept only ranges of two small literal numbers, such as `(1..5)`. LiquidJS counts with `+= 1`,
 * which has no effect from 2^53 on. So `(9007199254740992..9007199254740994)` would never end, fill the memory and
 * crash the process, and no limit of LiquidJS applies to it.
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

/** The largest depth of nested brackets. The depth of `a[b]` is 1. */
const MAX_NESTING = 32;

/**
 * Makes the tokenizer refuse values whose brackets are nested deeper than 32 levels. LiquidJS writes the name of each
 * level with all levels inside, so the time would grow with the product of depth and length.
 */
export function limitNesting(tokenizer: Pick<Tokenizer, 'readValue'>): void {
  // eslint-disable-next-line typescript/unbound-method -- called with its `this` below
  const { readValue } = tokenizer;
  let depth = 0;
  tokenizer.readValue = function (this: Tokenizer) {
    if (depth > MAX_NESTING) {
      throw AppError.invalid(`Use brackets that are nested at most ${MAX_NESTING} deep.`);
    }
    depth += 1;
    try {
      return readValue.call(this);
    } finally {
      depth -= 1;
    }
  };
}

/**
 * Makes tokens look up their line in an index of the template. LiquidJS counts lines from the start of the template for
 * every token, so the time would grow with the square of the length.
 */
export function indexPositions(token: Pick<Token, 'getPosition'>): void {
  let indexed: string | undefined;
  let lineStarts: number[] = [];
  token.getPosition = function (this: Token) {
    const { input, begin } = this;
    if (indexed !== input) {
      indexed = input;
      lineStarts = lineOffsets(input);
    }
    const line = lineIndexAt(lineStarts, begin);
    return [line + 1, begin - lineStarts[line]! + 1];
  };
}

function isSmall(token: { getText(): string }): boolean {
  const text = token.getText();
  return /^\d{1,6}$/.test(text) && Number(text) <= LARGEST_BOUND;
}

/** Collects the output of a template, and throws as soon as it is too long. */
export class LimitedEmitter implements Emitter {
  buffer = '';

  /** Writes a value as LiquidJS does, but writes an object as JSON instead of `[object Object]`. */
  write(value: unknown): void {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      // The length is checked after each item, because a short list may contain the same large value many times.
      for (const item of value) this.write(item);
      return;
    }
    if (minJsonLength(value, MAX_OUTPUT_BYTES + 2) > MAX_OUTPUT_BYTES + 2)
      throw outputTooLongError();
    this.buffer += typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    if (this.buffer.length > MAX_OUTPUT_BYTES) throw outputTooLongError();
  }
}
