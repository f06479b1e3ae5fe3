import type { FormatCallback, HtmlToTextOptions } from 'html-to-text';
import { AppError } from '../errors/app-error.js';

/** Limits the tags. The parser needs 2 ms for 1,000 of them, and cannot be interrupted. */
const MOST_TAGS = 20_000;
/** Limits the stack. Deeper content becomes an ellipsis. */
const DEEPEST = 200;

/** An image says what its alternative text says. Its address means nothing in a text. */
const image: FormatCallback = ({ attribs }, _walk, builder) => {
  const text = (attribs as Record<string, string> | undefined)?.alt?.trim();
  if (text) builder.addInline(text);
};
const OPTIONS: HtmlToTextOptions = {
  // Mail programs wrap lines at the width of their window.
  wordwrap: false,
  limits: { maxDepth: DEEPEST },
  formatters: { image },
  selectors: [
    { selector: 'img', format: 'image' },
    {
      selector: 'a',
      options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, linkBrackets: ['(', ')'] },
    },
    // Not every script has uppercase letters, and some languages lose meaning by them.
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
};

/**
 * Returns the text of HTML: paragraphs, lists, tables line by line, and links with their addresses. Throws
 * `invalid_arguments` for HTML with more than 20,000 tags.
 */
export async function textOfHtml(html: string): Promise<string> {
  if (countTags(html) > MOST_TAGS) {
    throw AppError.invalid(
      `The HTML has more than ${MOST_TAGS} tags, so no text is derived from it. Give the text too.`,
    );
  }
  // Most processes send no HTML. Without this, each would keep the parser in memory.
  const { convert } = await import('html-to-text');
  return convert(html, OPTIONS).trim();
}

function countTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf('<'); at >= 0 && count <= MOST_TAGS; at = html.indexOf('<', at + 1)) {
    count += 1;
  }
  return count;
}
