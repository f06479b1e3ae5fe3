import { randomBytes } from 'node:crypto';
import type { MarkupPlace } from '../liquid/text-compiler.js';

/** A text whose Liquid markup is replaced by words that are valid in HTML, in CSS and in attributes. */
export interface HiddenMarkup {
  readonly text: string;
  readonly prefix: string;
  readonly markup: readonly string[];
}

/** Replaces each piece of markup by a word. Otherwise programs that read HTML would move or change the markup. */
export function hideMarkup(text: string, places: readonly MarkupPlace[]): HiddenMarkup {
  // Otherwise the author could write words that become markup after the tags in them are removed and their entities are
  // decoded.
  const prefix = `lqm${randomBytes(6).toString('hex')}q`;
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
  // Markup can stand where an attribute would stand. A program then reads the placeholder word as an attribute, and
  // adds an empty value.
  const words = text.matchAll(new RegExp(`${prefix}(\\d+)z(?:="")?`, 'g'));
  let restored = '';
  let next = 0;
  let from = 0;
  for (const { 0: word, 1: digits, index } of words) {
    // The search ends here. A rule with a word in it can be copied into thousands of elements, and long markup in each
    // of them would fill the memory.
    if (Number(digits) !== next || next === markup.length) return undefined;
    restored += text.slice(from, index) + markup[next]!;
    next += 1;
    from = index + word.length;
  }
  return next === markup.length ? restored + text.slice(from) : undefined;
}

/**
 * Puts the markup back into a text that was derived from HTML. Words that stood in attributes may be missing in this
 * text. Each piece of markup is put back once at most, so the text grows by no more than all markup.
 */
export function restoreSomeMarkup(text: string, { prefix, markup }: HiddenMarkup): string {
  const left = new Map(markup.entries());
  return text.replaceAll(new RegExp(`${prefix}(\\d+)z`, 'g'), (_, digits) => {
    const piece = left.get(Number(digits)) ?? '';
    left.delete(Number(digits));
    return piece;
  });
}
