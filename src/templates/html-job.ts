/** Has an HTML whose Liquid markup is hidden. */
export interface HtmlPart {
  readonly html: string;
  /** Asks for a text besides. */
  readonly needsText: boolean;
}

/** Is what the thread makes of one HTML. */
export interface PreparedHtml {
  /** Has the CSS of style elements in the elements. Undefined when the CSS cannot be inlined. */
  readonly html?: string;
  readonly text?: string;
}

/** Has the HTML of all variants of a template, so that the thread loads its packages once. */
export type HtmlJob = readonly HtmlPart[];
/** Has a result for each part, in their order. */
export type HtmlReply = readonly PreparedHtml[];
