import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../errors/app-error.js';
import { type ByteSink, jsonDecoder, percentDecoder, readText, toAll } from './unescaped.js';

/** The shortest secret that is hidden in responses. Shorter texts occur in responses by chance. */
export const SHORTEST = 4;
/** The largest number of hidden places in one response. The text `[secret NAME]` may be longer than the secret. */
const MOST_PLACES = 10_000;
/** The number of bytes that are searched without a pause. Other work of the process waits meanwhile. */
const BYTES_AT_ONCE = 512 * 1024;
/** The same number for the search behind escapes, which takes longer. */
const DECODED_AT_ONCE = 64 * 1024;
/** The bytes that count for each text besides its own, because preparing a search takes time too. */
const COST_OF_TEXT = 256;
/** Matches secrets that look the same in URLs, forms and JSON. */
const UNESCAPED = /^[\w.~-]*$/;
/** Matches texts in which a secret may look different. */
const ESCAPES = /[%\\+]/;

/** A part of a text that is hidden, from `begin` to before `end`. */
interface Place {
  readonly begin: number;
  end: number;
  readonly label: string;
}

interface Hidden {
  readonly text: Pattern;
  readonly bytes: Pattern;
  /** What is searched for after escapes were decoded. Empty when no escape changes the secret. */
  readonly decoded: readonly Pattern[];
  readonly label: string;
}

/**
 * Hides the secrets of a request in its response. Each place becomes `[secret NAME]`, and places that overlap become one.
 * Also finds secrets in URLs, forms and JSON, whichever of their characters are escaped there, and in a URL in another
 * URL. The time is proportional to the length of the response, whatever the secrets are.
 */
export class HiddenSecrets {
  private readonly secrets: readonly Hidden[];
  private places = 0;
  private readonly hasDecoded: boolean;

  /** `names` has the name of each secret. */
  constructor(names: ReadonlyMap<string, string>) {
    this.secrets = [...names]
      .filter(([secret]) => secret.length >= SHORTEST)
      .map(([secret, name]) => ({
        text: new Pattern(Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at))),
        bytes: new Pattern(Buffer.from(secret)),
        decoded: decodedForms(secret).map((form) => new Pattern(Buffer.from(form))),
        label: `[secret ${name}]`,
      }));
    this.hasDecoded = this.secrets.some(({ decoded }) => decoded.length > 0);
  }

  /** Returns the text without the secrets. Throws `rejected` for a response with too many of them. */
  inText(text: string): string {
    const places: Place[] = [];
    for (const { text: pattern, label } of this.secrets) {
      if (pattern.codes.length > text.length) continue;
      const search = new Search(pattern, label);
      for (let at = 0; at < text.length; at += 1) search.next(text.charCodeAt(at), at, at + 1);
      places.push(...search.places);
    }
    if (this.hasDecoded && ESCAPES.test(text)) {
      const { sink, searches } = decodingSearches(this.secrets, text);
      readText(text, sink);
      places.push(...searches.flatMap((found) => found.places));
    }
    if (places.length === 0) return text;
    return this.replace(places, (begin, end) => text.slice(begin, end)).join('');
  }

  /**
   * Returns those of the texts that contain a secret, each with its text without the secrets. Other work of the process
   * continues meanwhile. Throws `rejected` as {@link inText} does.
   */
  async inTexts(texts: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const changed = new Map<string, string>();
    let searched = 0;
    for (const text of texts) {
      searched += text.length + COST_OF_TEXT;
      if (searched > DECODED_AT_ONCE) {
        await yieldToOthers();
        searched = 0;
      }
      const hidden =
        text.length > DECODED_AT_ONCE ? await this.inLongText(text) : this.inText(text);
      if (hidden !== text) changed.set(text, hidden);
    }
    return changed;
  }

  /** Returns bytes in UTF-8 without the secrets. Throws `rejected` as {@link inText} does. */
  async inBytes(bytes: Buffer): Promise<Buffer> {
    const places: Place[] = [];
    for (const { bytes: pattern, label } of this.secrets) {
      const search = new Search(pattern, label);
      for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
        await yieldToOthers();
        const end = Math.min(bytes.length, from + BYTES_AT_ONCE);
        for (let at = from; at < end; at += 1) search.next(bytes[at]!, at, at + 1);
      }
      places.push(...search.places);
    }
    if (this.hasDecoded) {
      const { sink, searches } = decodingSearches(this.secrets, bytes);
      for (let from = 0; from < bytes.length; from += DECODED_AT_ONCE) {
        await yieldToOthers();
        const end = Math.min(bytes.length, from + DECODED_AT_ONCE);
        for (let at = from; at < end; at += 1) sink(bytes[at]!, at, at + 1);
      }
      places.push(...searches.flatMap((found) => found.places));
    }
    if (places.length === 0) return bytes;
    const parts = this.replace(places, (begin, end) => bytes.subarray(begin, end));
    return Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
  }

  private async inLongText(text: string): Promise<string> {
    const bytes = Buffer.from(text);
    const hidden = await this.inBytes(bytes);
    return hidden === bytes ? text : hidden.toString();
  }

  /** Returns the parts around the places, with the label of each place between them. */
  private replace<T>(
    places: readonly Place[],
    slice: (begin: number, end?: number) => T,
  ): (T | string)[] {
    const parts: (T | string)[] = [];
    let from = 0;
    for (const { begin, end, label } of places.toSorted(
      (a, b) => a.begin - b.begin || b.end - a.end,
    )) {
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

function tooMany(): AppError {
  return new AppError(
    'rejected',
    `The response contains the secrets of the request more than ${MOST_PLACES} times.`,
  );
}

/** Returns the texts as which a secret occurs when escapes are decoded. Forms have `+` for a space. */
function decodedForms(secret: string): string[] {
  if (UNESCAPED.test(secret)) return [];
  return [...new Set([secret, secret.replaceAll(' ', '+')])];
}

/**
 * Returns a sink for bytes, and the searches for the secrets behind one and two escapes. `text` is searched for the
 * characters with which escapes begin, because most texts have only one of them or none.
 */
function decodingSearches(
  secrets: readonly Hidden[],
  text: string | Buffer,
): { sink: ByteSink; searches: Search[] } {
  const searches: Search[] = [];
  const search = (): ByteSink => {
    const found = secrets.flatMap(({ decoded, label }) =>
      decoded.map((pattern) => new Search(pattern, label)),
    );
    searches.push(...found);
    return toFound(found);
  };
  const twice = (): ByteSink => toAll([search(), percentDecoder(search()), jsonDecoder(search())]);
  const sinks = [
    ...(text.includes('+') ? [search()] : []),
    ...(text.includes('%') ? [percentDecoder(twice())] : []),
    ...(text.includes('\\') ? [jsonDecoder(twice())] : []),
  ];
  return { sink: toAll(sinks), searches };
}

/** Returns a sink for the searches, which is fast for bytes with which no secret begins. */
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

/**
 * A secret, prepared for the search of Knuth, Morris and Pratt. `indexOf` would be slow, because it may compare the
 * whole secret at every position.
 */
class Pattern {
  /**
   * For each number of codes that match: when the next code differs, how many of the last codes still match the
   * beginning of the secret.
   */
  readonly fallbacks: Int32Array;

  constructor(readonly codes: ArrayLike<number>) {
    this.fallbacks = new Int32Array(codes.length + 1);
    for (let at = 1, matching = 0; at < codes.length; at += 1) {
      while (matching > 0 && codes[at] !== codes[matching]) matching = this.fallbacks[matching]!;
      if (codes[at] === codes[matching]) matching += 1;
      this.fallbacks[at + 1] = matching;
    }
  }
}

/**
 * Finds a secret in a text or in bytes. Gets the codes of the characters, or the bytes, one by one, each with the part
 * of the text for which it stands.
 */
class Search {
  readonly places: Place[] = [];
  private matching = 0;
  /** The beginnings of the last codes, as many as the secret has. The next one replaces the one at `slot`. */
  private readonly begins: Int32Array;
  private slot = 0;

  constructor(
    private readonly pattern: Pattern,
    private readonly label: string,
  ) {
    this.begins = new Int32Array(pattern.codes.length);
  }

  /** The code with which the secret begins. */
  get first(): number {
    return this.pattern.codes[0]!;
  }

  /** True if the last codes are the beginning of the secret. */
  get isMatching(): boolean {
    return this.matching > 0;
  }

  next(code: number, begin: number, end: number): void {
    const { codes, fallbacks } = this.pattern;
    let { matching } = this;
    if (matching === 0 && code !== codes[0]) return;
    this.begins[this.slot] = begin;
    this.slot = this.slot + 1 === codes.length ? 0 : this.slot + 1;
    while (matching > 0 && code !== codes[matching]) matching = fallbacks[matching]!;
    if (code === codes[matching]) matching += 1;
    if (matching === codes.length) {
      this.add(this.begins[this.slot]!, end);
      matching = fallbacks[matching]!;
    }
    this.matching = matching;
  }

  private add(begin: number, end: number): void {
    const last = this.places.at(-1);
    if (last && begin < last.end) {
      last.end = end;
      return;
    }
    if (this.places.length === MOST_PLACES) throw tooMany();
    this.places.push({ begin, end, label: this.label });
  }
}
