const LONGEST_URI = 2048;
const LITERAL = "[A-Za-z0-9._~!$&'()*+,;=:@%-]";
const FORM = new RegExp(
  `^[a-z][a-z0-9+.-]*://${LITERAL}*(/(${LITERAL}+|\\{[A-Za-z][A-Za-z0-9_]{0,63}\\}))*$`,
);

/**
 * A URI some of whose path segments are variables, such as `switchboard://contacts/{contact_id}` (RFC 6570, level 1).
 * The host is never one: clients may write it in lower case, and then it would name something else.
 */
export class UriTemplate {
  readonly variables: readonly string[];
  /** The same for two templates that the same URIs match. */
  readonly shape: string;
  private readonly segments: readonly string[];

  /** Throws for text that is no such template. */
  constructor(readonly text: string) {
    if (!FORM.test(text) || text.length > LONGEST_URI) {
      throw new Error(
        `"${text}" is no URI for a resource: scheme://host/segments, some {variable}`,
      );
    }
    this.segments = text.split('/');
    this.variables = this.segments.filter(isVariable).map((segment) => segment.slice(1, -1));
    this.shape = this.segments.map((segment) => (isVariable(segment) ? '{}' : segment)).join('/');
    if (new Set(this.variables).size < this.variables.length) {
      throw new Error(`"${text}" names a variable twice`);
    }
  }

  /**
   * The decoded values of the variables, or undefined when the URI is not one of these. A value is never empty, `.` or
   * `..`, and holds neither slashes nor control characters, so it is safe to take for a name.
   */
  match(uri: string): Record<string, string> | undefined {
    if (uri.length > LONGEST_URI) return undefined;
    const given = uri.split('/');
    if (given.length !== this.segments.length) return undefined;
    const values: [string, string][] = [];
    for (const [index, segment] of this.segments.entries()) {
      const actual = given[index]!;
      if (!isVariable(segment)) {
        if (actual !== segment) return undefined;
        continue;
      }
      const value = decode(actual);
      if (value === undefined) return undefined;
      values.push([segment.slice(1, -1), value]);
    }
    return Object.fromEntries(values);
  }
}

function isVariable(segment: string): boolean {
  return segment.startsWith('{');
}

function decode(segment: string): string | undefined {
  // A question mark or a hash would begin another part of the URI.
  if (/[?#]/.test(segment)) return undefined;
  try {
    const value = decodeURIComponent(segment);
    const isName = value !== '' && value !== '.' && value !== '..' && value.isWellFormed();
    return isName && !/[\p{Cc}/\\]/u.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
