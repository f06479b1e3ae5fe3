import { LRUCache } from 'lru-cache';

/** The effect of a statement on the connection that it runs on. */
export type SessionSafety =
  /** The statement provably changes rows only, and nothing of the session. */
  | 'safe'
  /** The statement may change settings, prepared statements, locks or other state of the session. */
  | 'unsafe'
  /** The statement would begin or end a transaction. */
  | 'ends transaction'
  /** The statement could change more than rows and its session, for example the role that all organizations share. */
  | 'forbidden';

const MOST_CACHED = 2000;
const MOST_CHARACTERS = 100_000;

// Matches one token: a text, a quoted name, a parameter, a number, a word, or one other character.
const TOKEN = /[ \t\n\r\f]+|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\d+|\d[\w.]*|[A-Za-z_][\w$]*|[^]/y;
const WORD = /^[A-Za-z_]/;
// The third argument of set_config(), true, makes the setting end with the transaction.
const LOCAL_SETTING = /set_config\('switchboard\.\w+', \$\d+, true\)/y;

const FIRST_WORDS = new Set(['select', 'insert', 'update', 'delete', 'with']);
const ENDS_TRANSACTION =
  /^(?:abort|begin|commit|end|prepare(?!\s+\w+(?:\s*\(|\s+as\s))|rollback(?!\s+to\s)|start\s+transaction)\b/i;

/**
 * The words with which a statement may begin. Statements that begin with other words are forbidden. For example, ALTER
 * can change the password of the current role, and DO runs any statement that its text contains. EXPLAIN shows estimates
 * that PostgreSQL makes from the values of all organizations. LOCK locks a table for all organizations.
 */
const COMMANDS = new Set(
  `analyze close copy deallocate declare delete discard execute fetch insert listen merge move notify
  prepare release reset rollback savepoint select set show table unlisten update values with`.split(
    /\s+/,
  ),
);

/** Words of SQL that may precede a parenthesis and are not functions. */
const KEYWORDS = new Set(
  `all and any array as by case cast conflict distinct else exists except filter from group having in intersect into is
  join lateral not on or order over partition returning select set some then union update using values when where
  with within`.split(/\s+/),
);

/**
 * Functions, types with a length, and views of PostgreSQL, that leave nothing behind after the transaction except
 * changed rows. Every other function makes a statement unsafe.
 */
const FUNCTIONS = new Set(
  `abs add_sender_domain array_agg array_append array_cat array_length array_position array_remove array_to_string
  assert_lease avg bool_and bool_or cardinality ceil char check_pace chr clock_timestamp coalesce concat concat_ws
  convert_from convert_to count date_part date_trunc decode delete_contact_messages digest encode every extract
  find_contact_ids find_contacts_by_keys find_segment_contacts first_value floor format generate_series greatest
  hashtextextended json_agg json_array_elements json_array_length json_build_array json_build_object json_each
  json_object_agg json_object_keys json_populate_recordset json_strip_nulls json_to_recordset json_typeof jsonb_agg
  jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
  jsonb_each_text jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_populate_recordset jsonb_set
  jsonb_strip_nulls jsonb_to_recordset jsonb_typeof lacks_message_quota lag last_value lead least left length
  limit_lock_waits lock_name lock_organization lower ltrim make_interval max md5 min mod now nullif numeric
  octet_length pace_message pg_column_size pg_current_snapshot pg_current_xact_id pg_snapshot pg_snapshot_xmin
  pg_timezone_names pg_visible_in_snapshot power random rank record_audit record_contact_merge regexp_replace repeat replace reverse
  right round row row_number row_to_json rtrim set_audit_retention sha256 split_part sqrt starts_with string_agg
  string_to_array strpos substr substring sum surviving_contact timestamptz to_char to_json to_jsonb to_timestamp
  translate trim trunc unnest upper varchar`.split(/\s+/),
);

const known = new LRUCache<string, SessionSafety>({ max: MOST_CACHED });

/**
 * Decides from the text of a statement what effect the statement may have on its connection. The result is "unsafe"
 * unless the text is plainly safe. Every command except SELECT, INSERT, UPDATE and DELETE is unsafe. Savepoints are
 * unsafe because each open savepoint with a write takes a place in the lock table, which all organizations share. A text
 * with a function that is not listed here, a comment, a dollar quote or an escape is unsafe, too. A text that names one
 * of PostgreSQL's own objects is also unsafe: for example, an update of pg_settings changes settings.
 */
export function sessionSafety(text: string): SessionSafety {
  const cached = known.get(text);
  if (cached) return cached;
  const safety = classify(text);
  known.set(text, safety);
  return safety;
}

function classify(given: string): SessionSafety {
  const text = withoutLeadingComments(given);
  if (ENDS_TRANSACTION.test(text)) return 'ends transaction';
  const [command] = /^[a-z]*/i.exec(text)!;
  // Two texts without a command are allowed: an empty statement, and a query that begins with a parenthesis.
  const isCommand = COMMANDS.has(command.toLowerCase()) || text === '' || text.startsWith('(');
  if (!isCommand) return 'forbidden';
  return text.length <= MOST_CHARACTERS && isPlain(text) ? 'safe' : 'unsafe';
}

/** Drops comments and empty statements, which PostgreSQL skips before it looks for the command. */
function withoutLeadingComments(given: string): string {
  let text = given.trimStart();
  for (;;) {
    if (text.startsWith(';')) text = text.slice(1);
    else if (text.startsWith('--')) text = text.replace(/^[^\n\r]*/, '');
    else if (text.startsWith('/*')) text = text.slice(lengthOfComment(text));
    else return text;
    text = text.trimStart();
  }
}

/** Returns the length of the comment at the beginning of `text`. Comments of PostgreSQL can contain comments. */
function lengthOfComment(text: string): number {
  const EDGE = /\/\*|\*\//g;
  let depth = 0;
  for (const { 0: edge, index } of text.matchAll(EDGE)) {
    depth += edge === '/*' ? 1 : -1;
    if (depth === 0) return index + 2;
  }
  return text.length;
}

function isPlain(text: string): boolean {
  let previous = '';
  let beforePrevious = '';
  // For each open parenthesis, and for the text outside of all: true after a SELECT.
  const hasSelect = [false];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token.trim() === '') continue;
    const name = nameOf(token);
    if (name === 'set_config' && previous !== '') {
      LOCAL_SETTING.lastIndex = match.index;
      if (!LOCAL_SETTING.test(text)) return false;
      TOKEN.lastIndex = LOCAL_SETTING.lastIndex;
      previous = ')';
      continue;
    }
    if (previous === '' && !FIRST_WORDS.has(name ?? '')) return false;
    if (name?.startsWith('pg_') && !FUNCTIONS.has(name)) return false;
    if (token === ')') hasSelect.pop();
    if (name === 'select') hasSelect[hasSelect.length - 1] = true;
    // SELECT INTO creates a table. In a SELECT, `insert` can be the name of a column.
    if (name === 'into' && (previous !== 'insert' || hasSelect.at(-1))) return false;
    // Outside of quotes, PostgreSQL reads every character beyond ASCII as a letter of a name.
    if (token.codePointAt(0)! > 127) return false;
    // Each of these is unsafe: a quote that is never closed, an escape or Unicode text (E'', U&''), a dollar quote, a
    // comment, a second statement.
    if (token === "'" || token === '"' || token === '$' || token === ';') return false;
    if (token.startsWith("'") && (token.includes('\\') || /^[benx]$/.test(previous))) return false;
    if (previous === '&' && token.startsWith('"')) return false;
    if ((token === '-' && previous === '-') || (token === '*' && previous === '/')) return false;
    if (token === '(') {
      if (!mayPrecedeParenthesis(previous, beforePrevious)) return false;
      hasSelect.push(false);
    }
    beforePrevious = previous;
    // A quoted name stays quoted: it is not a keyword.
    previous = token.startsWith('"') ? token : (name ?? token);
  }
  return previous !== '';
}

/** Returns the name of an object for a token that is a word or a quoted name. Returns undefined for other tokens. */
function nameOf(token: string): string | undefined {
  if (WORD.test(token)) return token.toLowerCase();
  return token.startsWith('"') && token.length > 1
    ? token.slice(1, -1).replaceAll('""', '"')
    : undefined;
}

function mayPrecedeParenthesis(name: string, before: string): boolean {
  // `insert into t (…)`, `as t (…)` and `with t (…) as` list columns.
  return (
    !/^[\w"]/.test(name) ||
    KEYWORDS.has(name) ||
    FUNCTIONS.has(name) ||
    before === 'into' ||
    before === 'as'
  );
}
