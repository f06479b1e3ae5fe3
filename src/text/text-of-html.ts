import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../errors/app-error.js';
import { TextWriter } from './text-writer.js';

/**
 * The number of characters that are read without a pause. Reading them takes some milliseconds, in which other work of
 * the process waits.
 */
const CHARACTERS_AT_ONCE = 4 * 1024;
const MOST_CHARACTERS = 512 * 1024;
const LONGEST_HREF = 4096;

/** The elements whose contents are not text for people. */
const UNREAD = new Set(['script', 'style', 'title', 'template']);
/** The line breaks around each element that begins and ends on a line of its own. */
const LINE_BREAKS: ReadonlyMap<string, number> = new Map([
  ...(
    'address article aside caption center dd div dt fieldset figcaption figure footer form header li main nav section ' +
    'table tr'
  )
    .split(' ')
    .map((name): [string, number] => [name, 1]),
  ...'blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre ul'
    .split(' ')
    .map((name): [string, number] => [name, 2]),
]);

/**
 * Returns the text of HTML: paragraphs, lists, tables line by line, and links with their addresses. The time is
 * proportional to the length, even for elements that are nested deep or not closed. Other work gets turns meanwhile.
 * Throws `invalid_arguments` when the text is longer than any message.
 */
export async function textOfHtml(html: string): Promise<string> {
  // Most processes send no HTML. With a static import, each process would keep the parser in memory.
  const { Tokenizer } = await import('htmlparser2');
  const reader = new HtmlReader(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader);
  for (let at = 0; at < html.length; at += CHARACTERS_AT_ONCE) {
    if (at > 0) await yieldToOthers();
    tokenizer.write(html.slice(at, at + CHARACTERS_AT_ONCE));
    if (reader.length > MOST_CHARACTERS) {
      throw AppError.invalid(
        'The plain text that was derived from the HTML is too long for a message. Give the plain text too.',
      );
    }
  }
  tokenizer.end();
  return reader.text();
}

/**
 * Receives the parts of HTML as positions in the HTML. It keeps no tree, because deep trees take time at every level.
 */
class HtmlReader {
  private readonly writer = new TextWriter();
  private element = '';
  private attribute = '';
  private value = '';
  private href = '';
  private alt = '';
  /** The element whose content is skipped. */
  private unread = '';

  constructor(private readonly html: string) {}

  get length(): number {
    return this.writer.length;
  }

  text(): string {
    return this.writer.end();
  }

  ontext(start: number, end: number): void {
    if (this.unread === '') this.writer.addText(this.html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    if (this.unread === '') this.writer.addText(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.element = this.html.slice(start, end).toLowerCase();
    this.href = '';
    this.alt = '';
  }

  onattribname(start: number, end: number): void {
    this.attribute = this.html.slice(start, end).toLowerCase();
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.attribute === 'href' || this.attribute === 'alt') {
      this.value += this.html.slice(start, end);
    }
  }

  onattribentity(codePoint: number): void {
    if (this.attribute === 'href' || this.attribute === 'alt') {
      this.value += String.fromCodePoint(codePoint);
    }
  }

  onattribend(): void {
    if (this.attribute === 'href') this.href = this.value.trim();
    if (this.attribute === 'alt') this.alt = this.value;
  }

  onopentagend(): void {
    if (this.unread !== '') return;
    if (UNREAD.has(this.element)) this.unread = this.element;
    else this.open(this.element);
  }

  onselfclosingtag(): void {
    // `/>` ends no element in HTML. Elements without content need no end.
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const name = this.html.slice(start, end).toLowerCase();
    if (this.unread !== '') {
      if (name === this.unread) this.unread = '';
    } else this.close(name);
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  private open(name: string): void {
    const { writer } = this;
    const breaks = LINE_BREAKS.get(name);
    if (breaks !== undefined) writer.breakLine(writer.isInItem ? 1 : breaks);
    switch (name) {
      case 'br':
        return writer.addLineBreak();
      case 'hr':
        writer.addText('-'.repeat(40));
        return writer.breakLine(2);
      case 'img':
        // The address of an image means nothing in a text.
        return writer.addText(this.alt);
      case 'td':
      case 'th':
        return writer.addText(' ');
      case 'a':
        return writer.openLink(this.href.length > LONGEST_HREF ? '' : this.href);
      case 'pre':
        return writer.openVerbatim();
      case 'ul':
      case 'ol':
      case 'blockquote':
        return writer.openGroup(name);
      case 'li':
        return writer.openItem();
    }
  }

  private close(name: string): void {
    const { writer } = this;
    if (name === 'a') return writer.closeLink();
    if (name === 'pre') writer.closeVerbatim();
    if (name === 'ul' || name === 'ol' || name === 'blockquote' || name === 'li') {
      writer.closeGroup(name);
    }
    const breaks = LINE_BREAKS.get(name);
    // No empty line follows a list inside a list.
    if (breaks !== undefined) writer.breakLine(writer.isInItem ? 1 : breaks);
  }
}
