/**
 * The texts that usual libraries would make of the value in this JSON text, without the text itself: compact, indented,
 * with spaces as Python puts them, with sorted keys, and with the escapes of Python and PHP. None when it is no JSON.
 */
export function jsonRenderings(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const plain = [value, sorted(value)].flatMap((form) => {
    const compact = JSON.stringify(form);
    const indented = [2, 4, '\t'].map((indent) => JSON.stringify(form, null, indent));
    return [compact, spaced(form), ...indented];
  });
  const escaped = plain.map((rendering) => escapeNonAscii(rendering));
  const slashed = [plain[0]!, escaped[0]!].map((rendering) => rendering.replaceAll('/', '\\/'));
  const all = new Set([...plain, ...escaped, ...slashed]);
  all.delete(text);
  return [...all];
}

/** `{"a": 1, "b": [2, 3]}`. No string of JSON holds a line end, so what follows one is indentation. */
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

function escapeNonAscii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
