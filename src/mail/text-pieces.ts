import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type MimeNode from 'nodemailer/lib/mime-node';

/**
 * The length of the pieces of a large text, in UTF-16 code units. nodemailer takes up to 1 µs to encode a byte, and a
 * piece has at most 12 KiB.
 */
export const PIECE_LENGTH = 4096;

/**
 * Replaces each text of a compiled e-mail that has more than {@link PIECE_LENGTH} code units by a stream of pieces. The
 * event loop gets a turn between two pieces. Otherwise nodemailer would encode the text of 500 KiB in one turn, and
 * nothing else could run for 0.3 s. nodemailer has already chosen the encoding from the whole text. After this call,
 * the e-mail can be read only once.
 */
export function splitLargeTexts(node: MimeNode): void {
  const { content } = node;
  if (typeof content === 'string' && content.length > PIECE_LENGTH) {
    node.content = Readable.from(inTurns(content));
  }
  node.childNodes.forEach(splitLargeTexts);
}

/** Splits a text into pieces that are not longer than {@link PIECE_LENGTH}. Never splits a surrogate pair. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0, end; start < text.length; start = end) {
    end = Math.min(start + PIECE_LENGTH, text.length);
    if (text.codePointAt(end - 1)! > 0xffff) end -= 1;
    yield text.slice(start, end);
  }
}

async function* inTurns(text: string): AsyncGenerator<Buffer> {
  for (const piece of piecesOf(text)) {
    await nextTurn();
    yield Buffer.from(piece);
  }
}
