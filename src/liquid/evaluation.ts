type Step = Iterator<unknown, unknown, unknown>;

/**
 * Evaluates generators of LiquidJS step by step, like its `toValueSync`, but can stop between two steps and continue
 * later. A step is at most one call of a filter, so the filters decide how long a step can take.
 */
export class Evaluation<T> {
  private readonly stack: Step[];
  private value: unknown;
  private hasThrown = false;

  constructor(generator: unknown) {
    this.stack = isGenerator(generator) ? [generator] : [];
    this.value = generator;
  }

  /** The result. It is valid only after {@link run} has returned true. */
  get result(): T {
    return this.value as T;
  }

  /**
   * Runs at least one step, and stops at `endsAt`. Returns true if the evaluation has ended. Throws the errors of the
   * template.
   */
  run(endsAt: number): boolean {
    const { stack } = this;
    while (stack.length > 0) {
      this.step(stack.at(-1)!);
      if (performance.now() >= endsAt && stack.length > 0) return false;
    }
    if (this.hasThrown) throw this.value;
    return true;
  }

  private step(generator: Step): void {
    try {
      // An error in a nested generator is thrown at the `yield` that waits for it.
      const state = this.hasThrown ? generator.throw!(this.value) : generator.next(this.value);
      this.hasThrown = false;
      this.value = state.value;
      if (state.done) this.stack.pop();
      if (!isGenerator(state.value)) return;
      this.stack.push(state.value);
      this.value = undefined;
    } catch (error) {
      this.stack.pop();
      this.hasThrown = true;
      this.value = error;
    }
  }
}

function isGenerator(value: unknown): value is Step {
  if (typeof value !== 'object' || value === null) return false;
  const { next, throw: fail } = value as Partial<Step>;
  return typeof next === 'function' && typeof fail === 'function';
}
