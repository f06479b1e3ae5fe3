/** The depth up to which groups are indented, so that the indentation of a line has a limit. */
const DEEPEST_INDENTED = 10;
const MOST_EMPTY_LINES = 4;
const SPACES = /[ \t\r\n\f\u200b]+/;

type GroupName = 'ul' | 'ol' | 'blockquote' | 'li';

interface Group {
  readonly name: GroupName;
  /** The text before each line in the group. */
  readonly prefix: string;
  items: number;
}

/**
 * Writes the text of HTML: replaces several spaces by one, and indents lists and quotations. The duration of a call
 * depends only on the text that this call adds.
 */
export class TextWriter {
  private readonly parts: string[] = [];
  private readonly groups: Group[] = [];
  /** The number of open groups by name, so that the end of a group that is not open is recognized without a search. */
  private readonly open: Record<GroupName, number> = { ul: 0, ol: 0, blockquote: 0, li: 0 };
  private link: { readonly href: string; text: string } | undefined;
  /** The text that replaces the indentation of the next line of a list item. */
  private marker = '';
  private breaks = 0;
  private hasSpace = false;
  private verbatim = 0;
  private characters = 0;
  /** The prefix of the last line. */
  private lastPrefix = '';

  /** Counts the characters that were written. */
  get length(): number {
    return this.characters;
  }

  /** True while the innermost open group is an item of a list. */
  get isInItem(): boolean {
    return this.groups.at(-1)?.name === 'li';
  }

  end(): string {
    this.closeLink();
    return this.parts.join('').trim();
  }

  addText(text: string): void {
    if (this.verbatim > 0) return this.addLines(text);
    const words = text.split(SPACES);
    for (const [index, word] of words.entries()) {
      if (index > 0) this.hasSpace = true;
      this.write(word);
    }
  }

  /** Ends the line, and writes at least this number of line breaks before the next text. */
  breakLine(breaks: number): void {
    this.breaks = Math.max(this.breaks, breaks);
    this.hasSpace = false;
  }

  addLineBreak(): void {
    this.breaks = Math.min(this.breaks + 1, MOST_EMPTY_LINES);
    this.hasSpace = false;
  }

  openVerbatim(): void {
    this.verbatim += 1;
  }

  closeVerbatim(): void {
    this.verbatim = Math.max(0, this.verbatim - 1);
  }

  openGroup(name: 'ul' | 'ol' | 'blockquote'): void {
    this.push(name, name === 'blockquote' ? '> ' : '');
  }

  openItem(): void {
    if (this.isInItem) this.closeGroup('li');
    const list = this.groups.at(-1);
    if (list) list.items += 1;
    const marker = list?.name === 'ol' ? ` ${list.items}. ` : ' * ';
    this.push('li', ' '.repeat(marker.length));
    this.marker = marker;
  }

  /** Ends a group. Does nothing when no such group is open. */
  closeGroup(name: GroupName): void {
    if (this.open[name] === 0) return;
    for (;;) {
      const group = this.groups.pop()!;
      this.open[group.name] -= 1;
      if (group.name === name) break;
    }
    this.marker = '';
  }

  openLink(href: string): void {
    this.closeLink();
    this.link = { href, text: '' };
  }

  /** Ends the open link. Writes its address after its text, unless the text is the address. */
  closeLink(): void {
    const { link } = this;
    if (!link) return;
    this.link = undefined;
    const { href } = link;
    const address = href.startsWith('mailto:') ? href.slice('mailto:'.length) : href;
    if (href === '' || href.startsWith('#') || link.text.trim() === address) return;
    const hadSpace = this.hasSpace;
    this.hasSpace = true;
    this.write(link.text.trim() === '' ? address : `(${address})`);
    this.hasSpace = hadSpace;
  }

  private addLines(text: string): void {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) this.addLineBreak();
      this.write(line.replace(/\r$/, ''));
    }
  }

  private push(name: GroupName, own: string): void {
    const outer = this.groups.at(-1)?.prefix ?? '';
    const prefix = this.groups.length < DEEPEST_INDENTED ? outer + own : outer;
    this.groups.push({ name, prefix, items: 0 });
    this.open[name] += 1;
  }

  private write(text: string): void {
    if (text === '') return;
    const isFirst = this.characters === 0;
    if (isFirst || this.breaks > 0 || this.marker !== '') this.beginLine(isFirst);
    else if (this.hasSpace) this.append(' ');
    this.append(text);
    this.breaks = 0;
    this.hasSpace = false;
    this.marker = '';
  }

  private beginLine(isFirst: boolean): void {
    const prefix = this.groups.at(-1)?.prefix ?? '';
    const between = prefix.length < this.lastPrefix.length ? prefix : this.lastPrefix;
    this.lastPrefix = prefix;
    if (!isFirst) this.append(`\n${between.trimEnd()}`.repeat(Math.max(this.breaks, 1) - 1));
    const { marker } = this;
    const isIndented = marker !== '' && prefix.endsWith(' '.repeat(marker.length));
    const begin = isIndented ? prefix.slice(0, -marker.length) + marker : prefix + marker;
    this.append(isFirst ? begin : `\n${begin}`);
  }

  private append(text: string): void {
    this.parts.push(text);
    this.characters += text.length;
    if (this.link) this.link.text += text;
  }
}
