/**
 * Returns a lower bound of the length of the JSON text of a value that has no undefined members. Stops as soon as the
 * bound is more than `most`. The JSON text can be many times longer than the bound: escapes are not counted, and a
 * number or an object of a class counts as one character. Call this function before `JSON.stringify` for values that
 * may contain the same large value many times.
 */
export function minJsonLength(value: unknown, most: number): number {
  const left = { characters: most };
  subtract(value, left);
  return most - left.characters;
}

function subtract(value: unknown, left: { characters: number }): void {
  if (typeof value === 'string') left.characters -= value.length + 2;
  else if (Array.isArray(value)) {
    left.characters -= 2;
    for (let at = 0; at < value.length && left.characters >= 0; at += 1) {
      left.characters -= at === 0 ? 0 : 1;
      subtract(value[at], left);
    }
  } else if (isPlain(value)) {
    left.characters -= 2;
    for (const key of Object.keys(value)) {
      if (left.characters < 0) return;
      left.characters -= key.length + 3;
      subtract(value[key], left);
    }
  } else left.characters -= 1;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
