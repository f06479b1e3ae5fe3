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
