import type { TextCompiler } from '../liquid/text-compiler.js';
import { TextFault } from '../liquid/text-compiler.js';
import { lineIndexAt, lineOffsets } from '../text/lines.js';
import { didYouMean } from '../text/nearest-names.js';

/** The largest depth to which snippets may include snippets. */
export const MOST_DEPTH = 5;
const MOST_INCLUDED = 200;
/** The largest number of snippets that a hint compares with an unknown name. No organization has more snippets. */
const MOST_COMPARED = 100;
const LONGEST_RESULT = 256 * 1024;
/** The largest number of characters of all included snippets. Blanks beside a tag are read but may be left out. */
const MOST_READ = 1024 * 1024;

/** A fault or warning at a place of a text, or of a snippet that the text includes. */
export interface PlacedMessage {
  /** The name of the snippet. Undefined for the text itself. */
  readonly snippet?: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Reports why snippets cannot be included. */
export class PlacedFault extends Error {
  constructor(readonly placed: PlacedMessage) {
    super(placed.message);
  }
}

interface Piece {
  /** The position in the joined text at which the piece begins. */
  readonly at: number;
  readonly source: Source;
  /** The position in the source at which the piece begins. */
  readonly begin: number;
}

/** A text or a snippet. Its lines are counted once, however many warnings it has. */
class Source {
  private starts?: readonly number[];

  constructor(
    readonly text: string,
    readonly snippet?: string,
  ) {}

  get lineStarts(): readonly number[] {
    this.starts ??= lineOffsets(this.text);
    return this.starts;
  }
}

/** A text with the content of its snippets, and the source of each of its parts. */
export class JoinedText {
  private readonly pieces: Piece[] = [];
  private written = '';

  get text(): string {
    return this.written;
  }

  append(source: Source, begin: number, end: number): void {
    if (begin >= end) return;
    this.pieces.push({ at: this.written.length, source, begin });
    this.written += source.text.slice(begin, end);
  }

  /**
   * Returns the message with a line and column. `offset` is a position in the joined text. The line and the column are
   * the position of the same character in its source.
   */
  place(offset: number, message: string): PlacedMessage {
    const piece = this.pieces.findLast(({ at }) => at <= offset);
    if (!piece) return { line: 1, column: 1, message };
    return placeIn(piece.source, piece.begin + offset - piece.at, message);
  }
}

/**
 * Replaces `{% render 'name' %}` by the content of snippets. Throws {@link PlacedFault} for an unknown snippet, for a
 * snippet that includes itself, and for a result that is nested too deep or too long.
 */
export function inlineSnippets(
  text: string,
  snippets: ReadonlyMap<string, string>,
  compiler: TextCompiler,
): JoinedText {
  const joined = new JoinedText();
  let included = 0;
  let read = 0;
  const write = (source: Source, outer: readonly string[]): void => {
    let from = 0;
    for (const { begin, end, name } of tagsOf(source, compiler)) {
      const { text: given } = source;
      const isTrimmed = given.startsWith('{%-', begin);
      const before = isTrimmed ? given.slice(from, begin).trimEnd().length + from : begin;
      joined.append(source, from, before);
      from = given.startsWith('-%}', end - 3) ? skipBlank(given, end) : end;
      included += 1;
      read += snippets.get(name ?? '')?.length ?? 0;
      const isTooLong = joined.text.length > LONGEST_RESULT || read > MOST_READ;
      const fault = faultOf(name, outer, included, isTooLong, snippets);
      if (fault !== undefined) throw new PlacedFault(placeIn(source, begin, fault));
      write(new Source(snippets.get(name!)!, name), [...outer, name!]);
    }
    joined.append(source, from, source.text.length);
  };
  write(new Source(text), []);
  if (joined.text.length > LONGEST_RESULT) {
    const message = `has more than ${LONGEST_RESULT} characters with its snippets`;
    throw new PlacedFault({ line: 1, column: 1, message });
  }
  return joined;
}

function tagsOf(source: Source, compiler: TextCompiler): ReturnType<TextCompiler['renderTags']> {
  try {
    return compiler.renderTags(source.text);
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    throw new PlacedFault(placeIn(source, error.offset, error.message));
  }
}

function faultOf(
  name: string | undefined,
  outer: readonly string[],
  included: number,
  isTooLong: boolean,
  snippets: ReadonlyMap<string, string>,
): string | undefined {
  if (name === undefined) return `must name one snippet in quotes: {% render 'footer' %}`;
  if (outer.includes(name)) {
    return `includes the snippet ${name} in itself: ${[...outer, name].join(' > ')}`;
  }
  if (!snippets.has(name)) {
    const compared = [...snippets.keys()].slice(0, MOST_COMPARED);
    return `names the unknown snippet ${name.slice(0, 64)}.${didYouMean(name, compared)}`;
  }
  if (outer.length >= MOST_DEPTH) return `includes snippets more than ${MOST_DEPTH} levels deep`;
  if (included > MOST_INCLUDED) return `includes more than ${MOST_INCLUDED} snippets`;
  // Without this limit, snippets that include other snippets many times could make a text of any size.
  return isTooLong ? 'is too long with its snippets' : undefined;
}

function skipBlank(text: string, from: number): number {
  return text.length - text.slice(from).trimStart().length;
}

function placeIn(source: Source, offset: number, message: string): PlacedMessage {
  const { lineStarts: starts, snippet } = source;
  const index = lineIndexAt(starts, offset);
  const place = { line: index + 1, column: offset - starts[index]! + 1, message };
  return snippet === undefined ? place : { ...place, snippet };
}
