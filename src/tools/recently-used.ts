/** Keeps the values that were asked for last, at most so many. */
export class RecentlyUsed<Value> {
  /** The one that was asked for last is the last. */
  private readonly values = new Map<string, Value>();

  constructor(private readonly most: number) {}

  get(key: string): Value | undefined {
    const value = this.values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.values.delete(key);
  }

  set(key: string, value: Value): void {
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size <= this.most) return;
    const [oldest] = this.values.keys();
    this.values.delete(oldest!);
  }
}
