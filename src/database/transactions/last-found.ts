/**
 * What the last statement of a transaction found, for whoever asks for the same before anything follows that may have
 * changed it. Steps of a run, say, that are about the same contact then read it once.
 */
export class LastFound {
  /** Made when there is something to keep: most transactions have nothing, and some no statement at all. */
  private found?: Map<string, unknown>;
  private forgotten = 0;

  /** A statement is being sent, or was undone. */
  forget(): void {
    this.forgotten += 1;
    this.found = undefined;
  }

  /** What `find` finds by one statement. It is kept by the key, if there is one, unless another was sent meanwhile. */
  async keep<T>(find: () => Promise<T>, keyOf: (found: T) => string | undefined): Promise<T> {
    const before = this.forgotten;
    const found = await find();
    const key = keyOf(found);
    if (key !== undefined && this.forgotten === before + 1) {
      (this.found ??= new Map<string, unknown>()).set(key, found);
    }
    return found;
  }

  get(key: string): unknown {
    return this.found?.get(key);
  }
}
