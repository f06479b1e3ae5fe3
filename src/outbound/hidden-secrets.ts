import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../errors/app-error.js';

/** The shortest secret that is hidden in responses. Shorter texts occur in responses by chance. */
const SHORTEST = 4;
/** The largest number of hidden places in one response. The text `[secret NAME]` may be longer than the secret. */
const MOST_PLACES = 10_000;
/** The number of bytes that are searched without a pause. Other work of the process waits meanwhile. */
const BYTES_AT_ONCE = 512 * 1024;

/** A part of a text that is hidden, from `begin` to before `end`. */
interface Place {
  readonly begin: number;
  end: number;
  readonly label: string;
}

/**
 * Hides the secrets of a request in its response. Each place becomes `[secret NAME]`, and places that overlap become one.
 * The time is proportional to the length of the response, whatever the secrets are.
 */
export class HiddenSecrets {
  private readonly secrets: readonly { text: Pattern; bytes: Pattern; label: string }[];
  private places = 0;

  /** `names` has the name of each secret. */
  constructor(names: ReadonlyMap<string, string>) {
    this.secrets = [...names]
      .filter(([secret]) => secret.length >= SHORTEST)
      .map(([secret, name]) => ({
        text: new Pattern(Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at))),
        bytes: new Pattern(Buffer.from(secret)),
        label: `[secret ${name}]`,
      }));
  }

  /** Returns the text without the secrets. Throws `rejected` for a response with too many of them. */
  inText(text: string): string {
    const places: Place[] = [];
    for (const { text: pattern, label } of this.secrets) {
      if (pattern.codes.length > text.length) continue;
      const search = new Search(pattern, label, this.count);
      for (let at = 0; at < text.length; at += 1) search.next(text.charCodeAt(at), at);
      places.push(...search.places);
    }
    if (places.length === 0) return text;
    return replace(places, (begin, end) => text.slice(begin, end)).join('');
  }

  /** Returns bytes in UTF-8 without the secrets. Throws `rejected` as {@link inText} does. */
  async inBytes(bytes: Buffer): Promise<Buffer> {
    const places: Place[] = [];
    for (const { bytes: pattern, label } of this.secrets) {
      const search = new Search(pattern, label, this.count);
      for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
        await yieldToOthers();
        const end = Math.min(bytes.length, from + BYTES_AT_ONCE);
        for (let at = from; at < end; at += 1) search.next(bytes[at]!, at);
      }
      places.push(...search.places);
    }
    if (places.length === 0) return bytes;
    const parts = replace(places, (begin, end) => bytes.subarray(begin, end));
    return Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
  }

  private readonly count = (): void => {
    this.places += 1;
    if (this.places <= MOST_PLACES) return;
    throw new AppError(
      'rejected',
      `The response contains the secrets of the request more than ${MOST_PLACES} times.`,
    );
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

/** Finds a secret in a text or in bytes. Gets the codes of the characters, or the bytes, one by one. */
class Search {
  readonly places: Place[] = [];
  private matching = 0;

  constructor(
    private readonly pattern: Pattern,
    private readonly label: string,
    private readonly count: () => void,
  ) {}

  next(code: number, at: number): void {
    const { codes, fallbacks } = this.pattern;
    let { matching } = this;
    while (matching > 0 && code !== codes[matching]) matching = fallbacks[matching]!;
    if (code === codes[matching]) matching += 1;
    if (matching === codes.length) {
      this.add(at + 1 - matching, at + 1);
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
    this.count();
    this.places.push({ begin, end, label: this.label });
  }
}

/** Returns the parts around the places, with the label of each place between them. */
function replace<T>(
  places: readonly Place[],
  slice: (begin: number, end?: number) => T,
): (T | string)[] {
  const parts: (T | string)[] = [];
  let from = 0;
  for (const { begin, end, label } of places.toSorted(
    (a, b) => a.begin - b.begin || b.end - a.end,
  )) {
    if (begin >= from) parts.push(slice(from, begin), label);
    from = Math.max(from, end);
  }
  return [...parts, slice(from)];
}
