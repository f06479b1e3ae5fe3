import { AppError } from '../errors/app-error.js';

/** The largest number of hidden places in one response. The text `[secret NAME]` may be longer than the secret. */
export const MOST_PLACES = 10_000;

/** A part of a text that is hidden. It does not include the character at `end`. */
interface Place {
  readonly begin: number;
  end: number;
  label: string;
}

/**
 * The places that the searches of one text have found. Several searches can find the same place, because they decode
 * the text differently. So only the longest place is kept for each beginning.
 */
export class Places {
  private readonly byBegin = new Map<number, Place>();

  get isEmpty(): boolean {
    return this.byBegin.size === 0;
  }

  /** Adds a place, or extends the known place with the same beginning. Throws `rejected` for too many places. */
  add(begin: number, end: number, label: string): Place {
    const known = this.byBegin.get(begin);
    if (known) {
      if (end > known.end) Object.assign(known, { end, label });
      return known;
    }
    if (this.byBegin.size === MOST_PLACES) throw tooMany();
    const place = { begin, end, label };
    this.byBegin.set(begin, place);
    return place;
  }

  /** Returns the places in the order in which they begin. */
  inOrder(): readonly Readonly<Place>[] {
    return [...this.byBegin.values()].toSorted((a, b) => a.begin - b.begin);
  }
}

export function tooMany(): AppError {
  return new AppError(
    'rejected',
    `The response contains the secrets of the request more than ${MOST_PLACES} times.`,
  );
}

/**
 * A secret with the failure table of the Knuth-Morris-Pratt algorithm. `indexOf` would be slow, because it may compare
 * the whole secret at every position.
 */
export class Pattern {
  /**
   * The failure table. `fallbacks[n]` is the number of codes that still match the beginning of the secret when `n`
   * codes match and the next code differs.
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
 * Finds a secret in a text or in bytes. The caller passes one character code or byte at a time, with the place in the
 * text from which it was decoded.
 */
export class Search {
  private last?: Place;
  private matching = 0;
  /**
   * A ring buffer with the positions at which the last codes begin. It has one entry for each code of the secret.
   * `slot` is the index of the next entry.
   */
  private readonly begins: Int32Array;
  private slot = 0;

  constructor(
    private readonly pattern: Pattern,
    private readonly label: string,
    private readonly places: Places,
  ) {
    this.begins = new Int32Array(pattern.codes.length);
  }

  /** The code with which the secret begins. */
  get first(): number {
    return this.pattern.codes[0]!;
  }

  /** True if the last codes match the beginning of the secret. */
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
    if (this.last && begin < this.last.end) this.last.end = Math.max(this.last.end, end);
    else this.last = this.places.add(begin, end, this.label);
  }
}
