/** Statements that a connection keeps, each some ten kilobytes of its server. */
const MOST_PREPARED = 200;
const MOST_COUNTED = 2000;
/** What is sent this often is worth keeping. */
const WORTH_IT = 3;
/**
 * Whose best plan depends on the values: searches, and lists with a bound. A plan that is kept was made without them.
 * And whose columns a migration could change under it.
 */
const DEPENDS =
  /\b(?:like|ilike|strpos|starts_with)\b|\blimit (?!1\b)|\b(?:select|returning) (?:\w+\.)?\*/i;

/** Begins a statement whose plan is to be kept although it has such a part: the values make no difference to it. */
export const ONE_PLAN = '/* one plan */';

/**
 * Has the server keep the plans of statements that are sent again and again: to read and plan a look-up costs it
 * several times what the look-up itself does.
 */
export class PreparedStatements {
  private readonly counts = new Map<string, number>();
  private readonly names = new Map<string, string>();

  /** The name that a statement is kept under, or undefined for one that is not kept. */
  nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= MOST_PREPARED) return known;
    const count = (this.counts.get(text) ?? 0) + 1;
    if (count < WORTH_IT || (DEPENDS.test(text) && !text.startsWith(ONE_PLAN))) {
      // Texts that differ from call to call would otherwise pile up.
      if (this.counts.size >= MOST_COUNTED) this.counts.clear();
      this.counts.set(text, count);
      return undefined;
    }
    this.counts.delete(text);
    const name = `switchboard_${this.names.size}`;
    this.names.set(text, name);
    return name;
  }
}
