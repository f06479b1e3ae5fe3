import { numberText } from '../text/exact-numbers.js';
import { MOST_PLACES, Pattern, Places, Search, tooMany } from './secret-search.js';
import { type ByteSink, jsonDecoder, percentDecoder, readText, toAll } from './unescaped.js';

/** The shortest secret that is hidden in responses. Shorter texts occur in responses by chance. */
export const SHORTEST = 4;
/**
 * The number of times that one step of a search compares a byte with a secret. A step takes about a millisecond, and
 * other work of the process waits meanwhile.
 */
const COMPARISONS_AT_ONCE = 64 * 1024;
/** The cost of passing one byte through all decoders, as a number of comparisons that take the same time. */
const COST_OF_DECODING = 8;
/** The number of members or items that one step looks at, when none of them has to be searched. */
const ITEMS_AT_ONCE = 256;
/** Matches secrets that look the same in URLs, forms and JSON. Forms escape `~`, and so do some encoders of URLs. */
const UNESCAPED = /^[\w.-]*$/;
/** Matches secrets that a decimal number can contain. */
const IN_NUMBERS = /^[\d.-]+$/;

interface Hidden {
  readonly text: Pattern;
  readonly bytes: Pattern;
  /**
   * The forms of the secret that are searched for in decoded text. Empty when no usual encoder escapes a character of
   * the secret.
   */
  readonly decoded: readonly Pattern[];
  readonly label: string;
}

/** A search that can stop after each step. A step takes about a millisecond, whatever the text and the secrets are. */
export type SearchSteps<T> = Generator<void, T>;

/**
 * Hides the secrets of a request in its response. Each place becomes `[secret NAME]`, and places that overlap become
 * one. Also finds secrets with any escapes of URLs, forms and JSON, and secrets that are escaped twice, as in a URL in
 * another URL. The time is proportional to the length of the response, whatever the secrets are.
 */
export class HiddenSecrets {
  /** True if a number can contain a secret, such as a PIN that another system returns as a number. */
  private readonly mayBeInNumbers: boolean;
  private readonly secrets: readonly Hidden[];
  private places = 0;
  private readonly hasDecoded: boolean;

  /** `names` maps each secret to its name. */
  constructor(names: ReadonlyMap<string, string>) {
    const found = [...names].filter(([secret]) => secret.length >= SHORTEST);
    this.mayBeInNumbers = found.some(([secret]) => IN_NUMBERS.test(secret));
    this.secrets = found.map(([secret, name]) => ({
      text: new Pattern(Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at))),
      bytes: new Pattern(Buffer.from(secret)),
      decoded: decodedForms(secret).map((form) => new Pattern(Buffer.from(form))),
      label: `[secret ${name}]`,
    }));
    this.hasDecoded = this.secrets.some(({ decoded }) => decoded.length > 0);
  }

  /**
   * Returns the text without the secrets. Throws `rejected` for a response that contains secrets in too many places.
   * Other work of the process waits meanwhile, so the text must be short.
   */
  inText(text: string): string {
    const steps = this.searchText(text);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /**
   * Returns a JSON value without the secrets, names of members included. Its parts without secrets stay as they are. A
   * number that contains a secret becomes a text. Throws `rejected` as {@link inText} does. The steps are
   * short, because a response can have 100,000 values.
   */
  *searchValue(value: unknown, shown = new Map<string, string>()): SearchSteps<unknown> {
    if (typeof value === 'string') return yield* this.searchOnce(value, shown);
    if (typeof value === 'number') return yield* this.searchNumber(value, shown);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return yield* this.searchList(value, shown);
    return yield* this.searchObject(value as Record<string, unknown>, shown);
  }

  /** Returns bytes in UTF-8 without the secrets. Throws `rejected` as {@link inText} does. */
  *searchBytes(bytes: Buffer): SearchSteps<Buffer> {
    const places = yield* this.search(bytes);
    if (places.isEmpty) return bytes;
    const parts = this.replace(places, (begin, end) => bytes.subarray(begin, end));
    return Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
  }

  private *searchOnce(text: string, shown: Map<string, string>): SearchSteps<string> {
    const known = shown.get(text);
    if (known !== undefined) return known;
    yield;
    const hidden = yield* this.searchText(text);
    shown.set(text, hidden);
    return hidden;
  }

  private *searchNumber(value: number, shown: Map<string, string>): SearchSteps<unknown> {
    if (!this.mayBeInNumbers) return value;
    yield;
    const text = numberText(value);
    const hidden = shown.get(text) ?? (yield* this.searchText(text));
    if (hidden === text) return value;
    // Only the texts of numbers that contain a secret are cached. The text of 1e300 has 301 characters: if a response
    // had 100,000 such numbers, caching all their texts would take 30 MB.
    shown.set(text, hidden);
    return hidden;
  }

  private *searchList(list: readonly unknown[], shown: Map<string, string>): SearchSteps<unknown> {
    let changed: unknown[] | undefined;
    for (let at = 0; at < list.length; at += 1) {
      if (at % ITEMS_AT_ONCE === 0) yield;
      const item = yield* this.searchValue(list[at], shown);
      if (item === list[at]) continue;
      changed ??= [...list];
      changed[at] = item;
    }
    return changed ?? list;
  }

  private *searchObject(
    object: Readonly<Record<string, unknown>>,
    shown: Map<string, string>,
  ): SearchSteps<unknown> {
    const members: [name: string, value: unknown][] = [];
    let isChanged = false;
    for (const name of Object.keys(object)) {
      if (members.length % ITEMS_AT_ONCE === 0) yield;
      const before = object[name];
      const shownName = yield* this.searchOnce(name, shown);
      const value = yield* this.searchValue(before, shown);
      isChanged ||= shownName !== name || value !== before;
      members.push([shownName, value]);
    }
    return isChanged ? yield* objectOf(members) : object;
  }

  private *searchText(text: string): SearchSteps<string> {
    const places = yield* this.search(text);
    if (places.isEmpty) return text;
    return this.replace(places, (begin, end) => text.slice(begin, end)).join('');
  }

  private *search(text: string | Buffer): SearchSteps<Places> {
    const places = new Places();
    for (const { text: codes, bytes, label } of this.secrets) {
      const pattern = typeof text === 'string' ? codes : bytes;
      if (pattern.codes.length > text.length) continue;
      const search = new Search(pattern, label, places);
      for (let from = 0; from < text.length;) {
        const end = Math.min(text.length, from + COMPARISONS_AT_ONCE);
        if (typeof text === 'string') {
          for (let at = from; at < end; at += 1) search.next(text.charCodeAt(at), at, at + 1);
        } else for (let at = from; at < end; at += 1) search.next(text[at]!, at, at + 1);
        from = end;
        yield;
      }
    }
    if (this.hasDecoded) yield* this.searchDecoded(text, places);
    return places;
  }

  private *searchDecoded(text: string | Buffer, places: Places): SearchSteps<void> {
    const { sink, searches } = decodingSearches(this.secrets, text, places);
    if (searches === 0) return;
    const length = Math.ceil(COMPARISONS_AT_ONCE / (searches + COST_OF_DECODING));
    for (let from = 0; from < text.length;) {
      yield;
      const end = Math.min(text.length, from + length);
      if (typeof text === 'string') from = readText(text, from, end, sink);
      else for (; from < end; from += 1) sink(text[from]!, from, from + 1);
    }
  }

  /** Splits a text at the places of secrets. Returns the parts in order, with a label instead of each secret. */
  private replace<T>(places: Places, slice: (begin: number, end?: number) => T): (T | string)[] {
    const parts: (T | string)[] = [];
    let from = 0;
    for (const { begin, end, label } of places.inOrder()) {
      if (begin >= from) {
        this.places += 1;
        if (this.places > MOST_PLACES) throw tooMany();
        parts.push(slice(from, begin), label);
      }
      from = Math.max(from, end);
    }
    return [...parts, slice(from)];
  }
}

/** Returns an object as `Object.fromEntries` does, which would take long for many members. */
function* objectOf(members: readonly (readonly [string, unknown])[]): SearchSteps<object> {
  const object: Record<string, unknown> = {};
  for (const [at, [name, value]] of members.entries()) {
    if (at % ITEMS_AT_ONCE === 0) yield;
    if (name !== '__proto__') object[name] = value;
    else {
      // An assignment to `__proto__` would set the prototype of the object.
      Object.defineProperty(object, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
  return object;
}

/**
 * Returns the forms in which a secret can appear in decoded text. A space of the secret can appear as `+`, because HTML
 * forms encode it so, and the decoders do not change a `+`.
 */
function decodedForms(secret: string): string[] {
  if (UNESCAPED.test(secret)) return [];
  return [...new Set([secret, secret.replaceAll(' ', '+')])];
}

/**
 * Returns a sink that decodes bytes once and twice, and searches the decoded bytes for the secrets. Also returns the
 * number of its searches. The sink has decoders only for the kinds of escapes in `text`, because most texts have one
 * kind or none.
 */
function decodingSearches(
  secrets: readonly Hidden[],
  text: string | Buffer,
  places: Places,
): { sink: ByteSink; searches: number } {
  // A character has at most three bytes, and each escape has at least as many bytes as the character that it encodes.
  const mostBytes = typeof text === 'string' ? text.length * 3 : text.length;
  const patterns = secrets.flatMap(({ decoded, label }) =>
    decoded
      .filter(({ codes }) => codes.length <= mostBytes)
      .map((pattern) => [pattern, label] as const),
  );
  let searches = 0;
  const search = (): ByteSink => {
    searches += patterns.length;
    return toFound(patterns.map(([pattern, label]) => new Search(pattern, label, places)));
  };
  const twice = (): ByteSink => toAll([search(), percentDecoder(search()), jsonDecoder(search())]);
  const sinks = [
    ...(text.includes('+') ? [search()] : []),
    ...(text.includes('%') ? [percentDecoder(twice())] : []),
    ...(text.includes('\\') ? [jsonDecoder(twice())] : []),
  ];
  return { sink: toAll(sinks), searches };
}

/** Returns a sink that gives each byte to the searches. It skips bytes that cannot be a part of a secret. */
function toFound(found: readonly Search[]): ByteSink {
  const begins = new Uint8Array(256);
  for (const { first } of found) begins[first] = 1;
  let isMatching = false;
  return (byte, begin, end) => {
    if (!isMatching && begins[byte] === 0) return;
    isMatching = false;
    for (const one of found) {
      one.next(byte, begin, end);
      isMatching ||= one.isMatching;
    }
  };
}
