/** Generates the same sequence of numbers for the same seed (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** Returns a number of at least 0 and less than 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least, most) {
    return least + this.next() * (most - least);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(values) {
    return values[Math.floor(this.next() * values.length)];
  }
}
