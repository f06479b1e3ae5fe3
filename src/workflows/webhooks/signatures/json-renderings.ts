const MAX_DEPTH = 64;
/** The greatest length of a rendering that is tried, as a multiple of the length of the body. */
const MOST_GROWTH = 4;
/** The indentations, each with the number of characters that it adds for a level. */
const INDENTS = [
  [2, 2],
  [4, 4],
  ['\t', 1],
] as const;

/** The size of the indented rendering of a value. */
interface Outline {
  /** The number of line ends. */
  lines: number;
  /** The sum of the indentation levels of all lines. */
  levels: number;
}

/**
 * Finds the other texts that common libraries write for the value of this JSON text. They are compact, indented, or
 * have sorted keys, the spaces of Python, or the escapes of Python and PHP. Finds none for text that is not JSON.
 * Leaves out texts that are much longer than the given text: the indentation of deep values could be 100 times as long.
 * Yields after each rendering.
 */
export function* jsonRenderings(text: string): Generator<undefined, string[]> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const outline: Outline = { lines: 0, levels: 0 };
  if (!measure(value, 0, outline)) return [];
  yield;
  const mostLength = Math.max(1024, text.length * MOST_GROWTH);
  const all = new Set<string>();
  const add = (rendering: string): void => {
    if (rendering.length <= mostLength && rendering !== text) all.add(rendering);
  };
  const escapes: string[] = [];
  for (const form of [value, sorted(value)]) {
    const compact = JSON.stringify(form);
    const fits = (width: number): boolean =>
      compact.length + outline.lines + outline.levels * width <= mostLength;
    const plain = [() => compact];
    if (fits(1)) plain.push(() => spaced(form));
    for (const [indent, width] of INDENTS) {
      if (fits(width)) plain.push(() => JSON.stringify(form, null, indent));
    }
    for (const render of plain) {
      const rendering = render();
      add(rendering);
      yield;
      escapes.push(escapeNonAscii(rendering, mostLength));
      yield;
    }
    if (form === value) {
      add(compact.replaceAll('/', '\\/'));
      add(escapes[0]!.replaceAll('/', '\\/'));
      yield;
    }
  }
  for (const escaped of escapes) add(escaped);
  return [...all];
}

/** Adds the lines of a value to the outline. Returns false when the value is too deep. */
function measure(value: unknown, depth: number, outline: Outline): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  const members = Object.values(value);
  if (members.length === 0) return true;
  outline.lines += members.length + 1;
  outline.levels += members.length * (depth + 1) + depth;
  return members.every((member) => measure(member, depth + 1, outline));
}

/**
 * Writes JSON on one line with spaces, such as `{"a": 1, "b": [2, 3]}`. Strings in JSON contain no line end, so each
 * line end begins an indentation.
 */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    sorted(member),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the text with the escapes of Python, or the text itself if it is too long. */
function escapeNonAscii(text: string, mostLength: number): string {
  if (text.length > mostLength) return text;
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
