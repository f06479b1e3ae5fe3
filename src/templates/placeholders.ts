import type { MarkupPlace } from '../liquid/text-compiler.js';

/** A text whose Liquid markup is replaced by words that are valid in HTML, in CSS and in attributes. */
export interface HiddenMarkup {
  readonly text: string;
  readonly prefix: string;
  readonly markup: readonly string[];
}

/** Replaces each piece of markup by a word. Otherwise programs that read HTML would move or change the markup. */
export function hideMarkup(text: string, places: readonly MarkupPlace[]): HiddenMarkup {
  const prefix = unusedPrefix(text);
  const markup: string[] = [];
  let hidden = '';
  let from = 0;
  for (const { begin, end } of places) {
    hidden += `${text.slice(from, begin)}${prefix}${markup.length}z`;
    markup.push(text.slice(begin, end));
    from = end;
  }
  return { text: hidden + text.slice(from), prefix, markup };
}

/**
 * Puts the markup back into the text that a program made from the text with placeholder words. Returns undefined when
 * the program lost, doubled or moved a word, because then conditions and loops would be broken.
 */
export function restoreMarkup(text: string, { prefix, markup }: HiddenMarkup): string | undefined {
  let next = 0;
  let isInOrder = true;
  // Markup can stand where an attribute would stand. A program then reads the placeholder word as an attribute, and
  // adds an empty value.
  const restored = text.replaceAll(new RegExp(`${prefix}(\\d+)z(?:="")?`, 'g'), (_, digits) => {
    if (Number(digits) !== next) isInOrder = false;
    next += 1;
    return markup[Number(digits)] ?? '';
  });
  return isInOrder && next === markup.length ? restored : undefined;
}

/**
 * Puts the markup back into a text that was derived from HTML. Words that stood in attributes may be missing in this
 * text.
 */
export function restoreSomeMarkup(text: string, { prefix, markup }: HiddenMarkup): string {
  return text.replaceAll(
    new RegExp(`${prefix}(\\d+)z`, 'g'),
    (_, digits) => markup[Number(digits)] ?? '',
  );
}

/** Returns a short prefix that the text does not contain, in upper or lower case. */
function unusedPrefix(text: string): string {
  const used = new Set([...text.matchAll(/lqm(\d+)q/gi)].map(([, number]) => number));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return `lqm${number}q`;
}
