/** The HTML of all variants of a template. In this HTML, placeholder words replace the Liquid markup. */
export type HtmlJob = readonly string[];

/** The result for one HTML document. */
export interface InlinedHtml {
  /**
   * The HTML with inlined CSS: rules of style elements have become style attributes. Undefined when the CSS cannot be
   * inlined, or the result is too long.
   */
  readonly html?: string;
  readonly isTooLong: boolean;
}

/** A process sends `ready` when it has loaded its packages, then a result for each HTML document that it gets. */
export type ProcessMessage = 'ready' | InlinedHtml;

/** The results, one for each HTML document, in the order of the job. */
export type HtmlReply = readonly InlinedHtml[];
