const MAX_URI_LENGTH = 2048;
const LITERAL = "[A-Za-z0-9._~!$&'()*+,;=:@%-]";
const FORM = new RegExp(
  `^[a-z][a-z0-9+.-]*://${LITERAL}*(/(${LITERAL}+|\\{[A-Za-z][A-Za-z0-9_]{0,63}\\}))*$`,
);

/**
 * Matches URIs with variables as path segments, such as `switchboard://contacts/{contact_id}` (RFC 6570, level 1). The
 * host is never a variable, because clients may convert it to lowercase.
 */
export class UriTemplate {
  readonly variables: readonly string[];
  /** A text that is equal for templates that match the same URIs. */
  readonly shape: string;
  private readonly segments: readonly string[];

  /** Throws for a text that is not a template. */
  constructor(readonly text: string) {
    if (!FORM.test(text) || text.length > MAX_URI_LENGTH) {
      throw new Error(
        `"${text}" is not a URI for a resource: use scheme://host/segments, with {variable} for a segment`,
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
   * Returns the decoded variables, or undefined if the URI does not match. A value is never empty, `.` or `..`, and contains
   * neither slashes nor control characters, so it is safe as a name.
   */
  match(uri: string): Record<string, string> | undefined {
    if (uri.length > MAX_URI_LENGTH) return undefined;
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
