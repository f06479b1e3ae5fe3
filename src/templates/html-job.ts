/** The HTML of all variants of a template, with hidden Liquid markup, so that the thread loads its packages once. */
export type HtmlJob = readonly string[];

/** Result of the thread for one HTML. */
export interface InlinedHtml {
  /** The CSS of style elements in the elements. Undefined when the CSS cannot be inlined, or the result is too long. */
  readonly html?: string;
  readonly isTooLong: boolean;
}

/** One result for each HTML, in their order. */
export type HtmlReply = readonly InlinedHtml[];
