import { expect } from 'vitest';

export interface Block {
  readonly language: string;
  /** The word after the language: the name of a tool, or `answer`. Empty when there is none. */
  readonly label: string;
  readonly text: string;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Returns the code blocks of a Markdown text in their order. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\w+))?\n([^]*?)^```$/gm)].map(
    ([, language, label, text]) => ({ language: language!, label: label ?? '', text: text! }),
  );
}

/** Remembers the full id for each shortened id of a page, so that `con_500…` is the same contact on the whole page. */
export class ShortenedIds {
  private readonly ids = new Map<string, string>();

  /** Replaces shortened ids by full ids. Throws for a shortened id that no earlier answer contained. */
  resolve(value: Json): Json {
    return mapStrings(value, (text) => {
      if (!isShortened(text)) return text;
      const id = this.ids.get(text);
      if (id === undefined) throw new Error(`No earlier answer of the page contains ${text}.`);
      return id;
    });
  }

  /** Expects that `actual` has everything that `shown` has. */
  match(shown: Json, actual: Json): void {
    expect(this.shorten(shown, actual)).toEqual(shown);
  }

  /** Returns the members of `actual` that `shown` has, with shortened ids. */
  shorten(shown: Json, actual: Json): Json {
    if (Array.isArray(shown) && Array.isArray(actual)) {
      return actual.map((item, index) => this.shorten(shown[index] ?? shown[0] ?? null, item));
    }
    if (typeof shown === 'string' && typeof actual === 'string' && isShortened(shown)) {
      const known = this.ids.get(shown) ?? actual;
      this.ids.set(shown, known);
      return known === actual && actual.startsWith(shown.slice(0, 2)) ? shown : actual;
    }
    if (!isObject(shown) || !isObject(actual)) return actual;
    return Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [
        name,
        this.shorten(value, actual[name] ?? null),
      ]),
    );
  }
}

function isShortened(text: string): boolean {
  return text.endsWith('…');
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapStrings(item, change)]),
  );
}
